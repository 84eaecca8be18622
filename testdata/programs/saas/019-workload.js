// How many hours does each member still have to work?

async (api) => {
  const rows = await api.organization.members()
    .join(({ member }) => member.assignedTasks())
    .where(({ task }) => task.status['<>']('done'))
    .select(({ member, task }) => ({ name: member.name, hours: task.estimate }))
    .execute();
  const hours = {};
  for (const r of rows) {
    hours[r.name] = (hours[r.name] ?? 0) + (r.hours ?? 0);
  }
  return hours;
}

//=> {"Alice Moreau":22.0,"Bob Castellanos":12.0,"Carol Nguyen":74.0,"Dmitri Volkov":45.0}
