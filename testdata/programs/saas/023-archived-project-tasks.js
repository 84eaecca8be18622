// Which tasks are still open in archived projects?

(api) => api.organization
  .join(({ org }) => org.projects())
  .where(({ project }) => project.archived['='](true))
  .join(({ project }) => project.tasks())
  .where(({ task }) => task.status['!=']('done'))
  .select(({ project, task }) => ({ project: project.name, task: task.title }))
  .execute()

//=> in any order
// [
//  {"project":"Apollo (old)","task":"Write the post-mortem"},
//  {"project":"Apollo (old)","task":"Archive the drawings"},
//  {"project":"Apollo (old)","task":"Sell spare parts"}
// ]
