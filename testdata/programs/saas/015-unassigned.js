// Which open tasks has nobody taken yet?

(api) => api.organization.projects()
  .where(({ project }) => project.archived.eq(false))
  .tasks()
  .where(({ task }) => task.assigneeId.isNull().and(task.status.ne('done')))
  .orderBy(({ task }) => task.id)
  .select(({ task }) => ({ id: task.id, title: task.title }))
  .execute()

//=> [
//  {"id":6,"title":"Test with bricks"},
//  {"id":13,"title":"Translate to German"},
//  {"id":14,"title":"Add a cookie banner"},
//  {"id":23,"title":"Plan the fire drill"},
//  {"id":24,"title":"Count to 100%"}
// ]
