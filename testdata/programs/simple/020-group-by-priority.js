// How many todos are there of each priority?

async (api) => {
  const todos = await api.currentUser.todos().execute();
  return todos.reduce((acc, t) => {
    acc[t.priority] = (acc[t.priority] ?? 0) + 1;
    return acc;
  }, {});
}

//=> {"1":4,"2":3,"3":3}
