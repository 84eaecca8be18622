// How many todos are there?

async (api) => {
  const rows = api.currentUser.todos().execute();
  return { count: rows.length, rows };
}

//! program 3:24
//! promise
//! await
