// Who is assigned to the tasks in progress?

(api) => api.organization.projects().tasks()
  .select(t => ({ title: t.title, assignee: t.assignee().name }))
  .execute()

//! denied 2:58
//! task.assignee() has no member `name`
//! join
