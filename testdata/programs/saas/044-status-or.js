// List what is todo or in progress with priority 1, in the order of ids.

async (api) => {
  const rows = await api.organization.projects().tasks()
    .where(t => (t.status === 'todo' || t.status === 'in_progress') && t.priority === 1)
    .orderBy(t => t.id);
  return rows.map(t => t.id);
}

//=> [3,7,12,16,18,20]
