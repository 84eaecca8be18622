// List the tasks of the website project with the assignee, or "unassigned".

async (api) => {
  const project = api.organization.projects().where(p => p.name === 'Website relaunch');
  const [tasks, members] = await Promise.all([
    project.tasks().orderBy(t => t.id).execute(),
    api.organization.members().execute(),
  ]);
  const byId = new Map(members.map(m => [m.id, m.name]));
  return tasks.map(t => ({ title: t.title, assignee: byId.get(t.assigneeId) ?? 'unassigned' }));
}

//=> [
//  {"title":"Choose a font","assignee":"Esther Mbeki"},
//  {"title":"Draw the new logo","assignee":"Esther Mbeki"},
//  {"title":"Move the blog","assignee":"Bob Castellanos"},
//  {"title":"Fix the contact form","assignee":"Bob Castellanos"},
//  {"title":"Translate to German","assignee":"unassigned"},
//  {"title":"Add a cookie banner","assignee":"unassigned"},
//  {"title":"Measure page speed","assignee":"Dmitri Volkov"},
//  {"title":"Don't break old links","assignee":"Carol Nguyen"}
// ]
