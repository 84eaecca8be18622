// Which of my todos are still open?

(api) => api.currentUser
  .join(({ user }) => user.todos())
  .where(({ todo }) => todo.completed['='](false))
  .select(({ todo }) => ({ title: todo.title, due: todo.dueAt }))
  .execute()

//=> in any order
// [
//  {"title":"File the tax return","due":"2026-05-31T22:00:00.000Z"},
//  {"title":"Call the dentist","due":"2026-03-16T11:00:00.000Z"},
//  {"title":"Don't forget Sam's birthday","due":"2026-04-02T00:00:00.000Z"},
//  {"title":"Read \"A Pattern Language\"","due":null},
//  {"title":"Renew the passport","due":"2035-11-01T00:00:00.000Z"},
//  {"title":"Pay the 100% deposit_fee","due":"2026-03-20T12:00:00.000Z"}
// ]
