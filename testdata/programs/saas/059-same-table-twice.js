// Which tasks have the same assignee?

(api) => api.organization.projects().tasks()
  .join(api.organization.projects().tasks(), ({ task }) => task.assigneeId.isNotNull())
  .execute()

//! invalid 2:8
//! task is already in this query
//! .as('task2')
