// List urgent tasks of Harvest and Irrigation.
// as: 2

async (api) => {
  const urgent = (task) => task.priority.eq(1).and(task.status.ne('done'));
  const of = (name) => api.organization.projects().where({ name }).tasks().where(({ task }) => urgent(task)).orderBy(({ task }) => task.id).execute();
  const [harvest, irrigation] = await Promise.all([of('Harvest 2026'), of('Irrigation')]);
  return [...harvest, ...irrigation].map(t => t.title);
}

//=> ["Repair the combine","Sign the market contract","Lay the main pipe","Apply for the water permit"]
