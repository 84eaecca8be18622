// Show the tasks of all projects.

(api) => api.organization.projects().join(({ project }) => project.tasks).execute()

//! invalid 1:42
//! project.tasks()
