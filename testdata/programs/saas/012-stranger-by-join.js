// Who fences the pump?
// as: 2

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.title.eq('Fence the pump'))
  .join(({ task }) => task.assignee())
  .select(({ task, member }) => ({ task: task.title, who: member.name, email: member.email }))
  .execute()

//=> []
