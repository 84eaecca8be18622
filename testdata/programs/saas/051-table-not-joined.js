// Show tasks with the names of their assignees.

(api) => api.organization.projects().tasks()
  .select(({ task, member }) => ({ title: task.title, who: member.name }))
  .execute()

//! denied 2:14
//! `member`
//! join
