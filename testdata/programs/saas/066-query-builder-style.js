// Which tasks are done?

(api) => api.organization.projects().tasks().where('status', '=', 'done').execute()

//! invalid 1:51
//! callback
