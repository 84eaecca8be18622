// Give me the titles of all tasks.

(api) => api.organization.projects().tasks().select(t => t.title).execute()

//! invalid 1:52
//! { title: task.title }
//! task.title
