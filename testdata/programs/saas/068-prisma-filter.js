// Which tasks are todo or done?

(api) => api.organization.projects().tasks().where({ status: { in: ['todo', 'done'] } }).execute()

//! invalid 1:51
//! a value or a list of values; for other conditions write a callback
