// List my open todos, the most urgent first.

async (api) => {
  const todos = await api.currentUser.todos()
    .where({ completed: false })
    .orderBy(t => t.priority)
    .orderBy(t => t.id)
    .execute();
  return todos.map(({ id, title, priority }) => ({ id, title, priority }));
}

//=> [
//  {"id":2,"title":"File the tax return","priority":1},
//  {"id":5,"title":"Don't forget Sam's birthday","priority":1},
//  {"id":9,"title":"Pay the 100% deposit_fee","priority":1},
//  {"id":3,"title":"Call the dentist","priority":2},
//  {"id":7,"title":"Renew the passport","priority":2},
//  {"id":6,"title":"Read \"A Pattern Language\"","priority":3}
// ]
