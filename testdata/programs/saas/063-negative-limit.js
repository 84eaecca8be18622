// Show the last three tasks.

(api) => api.organization.projects().tasks().orderBy(t => t.id).limit(-3).execute()

//! invalid 1:70
//! negative
//! -3
