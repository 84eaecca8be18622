// Show me with the first two todos that I created, and who owns them.

(api) => api.currentUser
  .join(({ user }) => user.todos())
  .orderBy(({ todo }) => todo.createdAt)
  .limit(2)
  .select(({ user, todo }) => ({ user, todo: { id: todo.id, title: todo.title } }))
  .execute()

//=> [
//  {"user":{"id":1,"name":"Ada Okafor","email":"ada@example.com","createdAt":"2026-01-05T08:00:00.000Z"},"todo":{"id":1,"title":"Buy milk"}},
//  {"user":{"id":1,"name":"Ada Okafor","email":"ada@example.com","createdAt":"2026-01-05T08:00:00.000Z"},"todo":{"id":2,"title":"File the tax return"}}
// ]
