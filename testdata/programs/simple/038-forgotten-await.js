// How many todos are there?

async (api) => {
  const rows = api.currentUser.todos().execute();
  return { count: rows.length, rows };
}

//! invalid 0:0
//! promise
//! await
