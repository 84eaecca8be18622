// Which tasks are blocked?

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.status.eq('blocked'))
  .execute()

//! invalid 2:38
//! 'todo', 'in_progress', 'done'
//! "blocked"
