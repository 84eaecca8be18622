// Which todos are done?

(api) => api.currentUser.todos().where(t => t.completed = true).execute()

//! invalid 1:45
//! ===
