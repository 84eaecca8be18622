// What is in progress right now?

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.status['=']('in_progress'))
  .orderBy(({ task }) => task.id)
  .select(({ task }) => ({ id: task.id, title: task.title }))
  .execute()

//=> [
//  {"id":3,"title":"Write the grip controller"},
//  {"id":4,"title":"Calibrate force sensors"},
//  {"id":11,"title":"Move the blog"},
//  {"id":15,"title":"Measure page speed"},
//  {"id":18,"title":"Install charging docks"},
//  {"id":20,"title":"Agree on a price"},
//  {"id":27,"title":"Write the post-mortem"}
// ]
