// Which of my todos are still open?
// as: 2

(api) => api.currentUser
  .join(({ user }) => user.todos())
  .where(({ todo }) => todo.completed['='](false))
  .select(({ todo }) => ({ title: todo.title, due: todo.dueAt }))
  .execute()

//=> in any order
// [
//  {"title":"Fix the garden gate","due":"2026-04-11T09:00:00.000Z"},
//  {"title":"Return library books","due":"2026-03-09T18:00:00.000Z"},
//  {"title":"Read mail from the landlord","due":null},
//  {"title":"Learn fika recipes","due":null},
//  {"title":"Buy milk","due":"2026-03-10T17:00:00.000Z"}
// ]
