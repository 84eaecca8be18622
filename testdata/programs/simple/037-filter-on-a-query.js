// Which todos are open?

async (api) => {
  const todos = api.currentUser.todos();
  return todos.filter(t => !t.completed);
}

//! denied 3:10
//! write .where(t => condition)
//! await
//! execute()
