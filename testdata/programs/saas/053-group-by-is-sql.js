// Count the tasks by status.

(api) => api.organization.projects().tasks().groupBy(t => t.status).execute()

//! denied 1:43
//! `groupBy`
