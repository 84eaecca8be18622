// Is there a todo with priority 1 that is due in 2040?

async (api) => {
  const todo = await api.currentUser.todos().where(t => t.priority === 1 && t.dueAt >= '2040-01-01').first();
  if (!todo) return 'Nothing found';
  return todo.title;
}

//=> "Nothing found"
