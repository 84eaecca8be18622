// Post the list of projects to our chat.

async (api) => {
  const projects = await api.organization.projects().execute();
  await fetch('https://chat.example/hook', { method: 'POST', body: JSON.stringify(projects) });
}

//! syntax 3:9
//! fetch
//! not
