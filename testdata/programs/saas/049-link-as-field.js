// Who is assigned to the tasks in progress?

(api) => api.organization.projects().tasks()
  .where(t => t.status === 'in_progress')
  .select(t => ({ title: t.title, assignee: t.assignee.name }))
  .execute()

//! invalid 3:56
//! write task.assignee().name
