// What is due in March 2026?

(api) => api.currentUser.todos()
  .where(t => t.dueAt >= new Date('2026-03-01') && t.dueAt < new Date('2026-04-01'))
  .orderBy(t => [t.dueAt, t.id])
  .select(t => ({ id: t.id, title: t.title, dueAt: t.dueAt }))
  .execute()

//=> [
//  {"id":4,"title":"Book flights to Lisbon","dueAt":"2026-03-01T00:00:00.000Z"},
//  {"id":8,"title":"Pay rent","dueAt":"2026-03-01T00:00:00.000Z"},
//  {"id":3,"title":"Call the dentist","dueAt":"2026-03-16T11:00:00.000Z"},
//  {"id":9,"title":"Pay the 100% deposit_fee","dueAt":"2026-03-20T12:00:00.000Z"}
// ]
