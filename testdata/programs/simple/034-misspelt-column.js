// Show the due dates.

async (api) => {
  const rows = await api.currentUser.todos()
    .where(t => t.compleated === false)
    .execute();
  return rows;
}

//! denied 3:19
//! `compleated`
//! did you mean `completed`?
