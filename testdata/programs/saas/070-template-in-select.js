// Give me the titles with exclamation marks.

(api) => api.organization.projects().tasks().select(t => ({ title: `${t.title}!` })).execute()

//! invalid 1:68
//! task.title
//! select the column
