// Count the projects.

(api) => new Promise((resolve) => {
  api.organization.projects().count();
})

//! program 0:0
//! a promise that never ends
