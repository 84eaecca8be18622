// How far is each active project, in percent?

async function getProgress(api) {
  const projects = await api.organization.projects().where({ archived: false }).orderBy(p => p.id).execute();
  return Promise.all(projects.map(async (project) => {
    const tasks = await api.organization.projects().where({ id: project.id }).tasks().execute();
    const done = tasks.filter((task) => task.status === 'done').length;
    return { project: project.name, percent: Math.round((done / tasks.length) * 100) };
  }));
}

//=> [
//  {"project":"Gripper v2","percent":38},
//  {"project":"Website relaunch","percent":25},
//  {"project":"Warehouse pilot","percent":25}
// ]
