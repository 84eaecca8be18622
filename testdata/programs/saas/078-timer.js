// Wait a second, then count the projects.

async (api) => {
  await new Promise(resolve => setTimeout(resolve, 1000));
  return api.organization.projects().count();
}

//! syntax 2:32
//! `setTimeout` is not available
//! await
