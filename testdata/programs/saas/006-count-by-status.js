// How many tasks are there of each status?

async (api) => {
  const statuses = ['todo', 'in_progress', 'done'];
  const counts = await Promise.all(statuses.map(s => api.organization.projects().tasks().where(t => t.status.eq(s)).count()));
  return Object.fromEntries(statuses.map((s, i) => [s, counts[i]]));
}

//=> {"done":8,"in_progress":7,"todo":13}
