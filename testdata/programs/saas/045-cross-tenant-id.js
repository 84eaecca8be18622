// Show the task with the id 30.

async (api) => {
  const task = await api.organization.projects().tasks().where({ id: 30 }).first();
  return task === null ? 'There is no such task.' : task.title;
}

//=> "There is no such task."
