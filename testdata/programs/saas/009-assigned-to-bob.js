// What is Bob working on?

async (api) => {
  const bob = api.organization.members().where(m => m.name === 'Bob Castellanos');
  const tasks = await bob.assignedTasks().where(t => t.status !== 'done').orderBy(t => t.id).execute();
  return tasks.map(t => t.title);
}

//=> ["Move the blog","Fix the contact form","Archive the drawings"]
