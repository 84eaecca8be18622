// What are the projects called?

async (api) => {
  const projects = api.organization.projects().execute();
  return projects.map(p => p.name);
}

//! invalid 3:10
//! map
//! await
