// Which tasks in progress has nobody commented on?

async (api) => {
  const tasks = await api.organization.projects().tasks().where(t => t.status === 'in_progress').orderBy(t => t.id).execute();
  const commented = await api.organization.projects().tasks()
    .join(({ task }) => task.comments())
    .select(({ task }) => ({ id: task.id }))
    .execute();
  const ids = new Set(commented.map(c => c.id));
  return tasks.filter(t => !ids.has(t.id)).map(t => t.title);
}

//=> []
