// Show the newest task.

(api) => api.organization.projects().tasks().orderBy('createdAt', 'desc').limit(1).execute()

//! invalid 1:53
//! callback
//! desc()
