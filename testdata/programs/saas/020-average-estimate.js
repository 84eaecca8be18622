// What is the average estimate of the tasks that have one?
// as: 2

async (api) => {
  const tasks = await api.organization.projects().tasks().where(t => t.estimate !== null).execute();
  const sum = tasks.reduce((s, t) => s + t.estimate, 0);
  return Number((sum / tasks.length).toFixed(2));
}

//=> 7.71
