// Log every project.

for (const project of api.organization.projects()) {
  console.log(project.name);
}

//! invalid 1:48
//! await
