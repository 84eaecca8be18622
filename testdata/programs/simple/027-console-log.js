// How many todos are there? Log what you find on the way.

async (api) => {
  const todos = await api.currentUser.todos().execute();
  console.log('found', todos.length, 'todos');
  const done = todos.filter(t => t.completed).length;
  console.log(`done: ${done}`);
  return todos.length;
}

//> found 10 todos
//> done: 4
//=> 10
