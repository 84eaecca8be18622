// How many tasks are due in each month?
// as: 3

async (api) => {
  const tasks = await api.organization.projects().tasks().where(({ task }) => task.dueAt.isNotNull()).execute();
  const months = {};
  tasks.forEach((t) => {
    const d = new Date(t.dueAt);
    const key = `${d.getUTCFullYear()}-${String(d.getUTCMonth() + 1).padStart(2, '0')}`;
    (months[key] ||= []).push(t.id);
  });
  return Object.entries(months).map(([month, ids]) => ({ month, count: ids.length })).sort((a, b) => a.month < b.month ? -1 : 1);
}

//=> [{"month":"2026-01","count":1},{"month":"2026-02","count":2},{"month":"2026-03","count":6}]
