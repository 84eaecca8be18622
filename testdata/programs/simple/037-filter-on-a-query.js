// Which todos are open?

async (api) => {
  const todos = api.currentUser.todos();
  return todos.filter(t => !t.completed);
}

//=> [{"id":2,"title":"File the tax return","notes":"Receipts are in the blue folder","completed":false,"priority":1,"dueAt":"2026-05-31T22:00:00.000Z","createdAt":"2026-02-02T09:15:00.000Z"},{"id":3,"title":"Call the dentist","notes":null,"completed":false,"priority":2,"dueAt":"2026-03-16T11:00:00.000Z","createdAt":"2026-02-10T07:45:00.000Z"},{"id":5,"title":"Don't forget Sam's birthday","notes":"","completed":false,"priority":1,"dueAt":"2026-04-02T00:00:00.000Z","createdAt":"2026-02-14T12:00:00.000Z"},{"id":6,"title":"Read \"A Pattern Language\"","notes":null,"completed":false,"priority":3,"dueAt":null,"createdAt":"2026-02-20T21:30:00.000Z"},{"id":7,"title":"Renew the passport","notes":"The old one ends in 2036","completed":false,"priority":2,"dueAt":"2035-11-01T00:00:00.000Z","createdAt":"2026-03-03T10:00:00.000Z"},{"id":9,"title":"Pay the 100% deposit_fee","notes":"Ask for a receipt","completed":false,"priority":1,"dueAt":"2026-03-20T12:00:00.000Z","createdAt":"2026-03-05T14:20:00.000Z"}]
