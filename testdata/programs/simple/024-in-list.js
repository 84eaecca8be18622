// Show todos 2, 3, 5 and 12.

(api) => api.currentUser.todos().where(t => t.id.in([2, 3, 5, 12])).select(t => ({ id: t.id, title: t.title })).orderBy(t => t.id).execute()

//=> [
//  {"id":2,"title":"File the tax return"},
//  {"id":3,"title":"Call the dentist"},
//  {"id":5,"title":"Don't forget Sam's birthday"}
// ]
