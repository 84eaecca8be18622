// Which tasks are overdue, the oldest first?

async (api) => {
  const today = new Date();
  const tasks = await api.organization.projects().where(p => !p.archived).tasks()
    .where(t => t.dueAt < today && t.status !== 'done')
    .orderBy(t => t.dueAt)
    .orderBy(t => t.id)
    .execute();
  return tasks.slice(0, 3).map(t => `${t.dueAt.slice(0, 10)} ${t.title}`);
}

//=> ["2026-02-28 Move the blog","2026-03-01 Agree on a price","2026-03-02 Fix the contact form"]
