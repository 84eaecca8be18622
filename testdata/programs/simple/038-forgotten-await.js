// How many todos are there?

async (api) => {
  const rows = api.currentUser.todos().execute();
  return { count: rows.length, rows };
}

//! invalid 3:24
//! promise
//! await
