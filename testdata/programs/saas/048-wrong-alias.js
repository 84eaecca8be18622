// List the tasks of our projects.

(api) => api.organization
  .join(({ organization }) => organization.projects())
  .execute()

//! denied 2:9
//! org
