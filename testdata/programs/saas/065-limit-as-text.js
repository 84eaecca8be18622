// Show two projects.

(api) => api.organization.projects().limit('2').execute()

//! invalid 1:43
//! number
