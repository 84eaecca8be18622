// Which tasks are assigned to owners?

(api) => api.organization.projects().tasks().where(async ({ task }) => task.status.eq('todo')).execute()

//! invalid 1:51
//! must not be async
