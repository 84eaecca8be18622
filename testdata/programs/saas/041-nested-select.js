// Give me the tasks in review form: what, where, who.
// as: 3

(api) => api.organization.projects().tasks()
  .join(({ task }) => task.project())
  .join(({ task }) => task.assignee())
  .where(({ task }) => task.status === 'in_progress')
  .select(({ task, project, member }) => ({ what: task.title, where: { project: project.name }, who: { name: member.name, role: member.role } }))
  .execute()

//=> in any order
// [
//  {"what":"Sign the firmware","where":{"project":"Printer firmware"},"who":{"name":"Karl Braun","role":"member"}},
//  {"what":"Drop parallel ports","where":{"project":"Printer firmware"},"who":{"name":"Liam O'Brien","role":"member"}},
//  {"what":"Glue tags to staplers","where":{"project":"Stapler tracking"},"who":{"name":"Liam O'Brien","role":"member"}}
// ]
