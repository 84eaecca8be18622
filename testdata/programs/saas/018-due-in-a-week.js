// What is due between the 10th and the 16th of March?

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.dueAt.ge(new Date('2026-03-10T00:00:00Z')).and(task.dueAt.le(new Date('2026-03-16T23:59:59Z'))))
  .orderBy(({ task }) => [task.dueAt.asc(), task.id.asc()])
  .select(({ task }) => ({ title: task.title, dueAt: task.dueAt }))
  .execute()

//=> [
//  {"title":"Measure page speed","dueAt":"2026-03-12T17:00:00.000Z"},
//  {"title":"Write the grip controller","dueAt":"2026-03-15T17:00:00.000Z"}
// ]
