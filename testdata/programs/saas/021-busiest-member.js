// Who has the most open tasks?

async (api) => {
  const members = await api.organization.members().orderBy(m => m.id).execute();
  const counted = [];
  for (const m of members) {
    const n = await api.organization.members().where({ id: m.id }).assignedTasks().where(t => t.status !== 'done').count();
    counted.push({ name: m.name, open: n });
  }
  counted.sort((a, b) => b.open - a.open);
  return counted[0];
}

//=> {"name":"Carol Nguyen","open":4}
