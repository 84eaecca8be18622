// Which projects are archived?

(api) => api.organization.projects().where(({ project }) => project.archived['='](1)).execute()

//! invalid 1:82
//! true or false
