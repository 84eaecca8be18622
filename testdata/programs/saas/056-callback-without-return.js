// Which tasks are done?

(api) => api.organization.projects().tasks().where(t => { t.status === 'done' }).execute()

//! invalid 1:51
//! return
