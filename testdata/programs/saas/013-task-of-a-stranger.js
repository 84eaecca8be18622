// List all tasks assigned to Farid with their projects.
// as: 2

(api) => api.organization.members()
  .where({ name: 'Farid Rahimi' })
  .join(({ member }) => member.assignedTasks())
  .join(({ task }) => task.project())
  .select(({ task, project }) => ({ task: task.title, project: project.name }))
  .execute()

//=> in any order
// [
//  {"task":"Buy seed potatoes","project":"Harvest 2026"},
//  {"task":"Sign the market contract","project":"Harvest 2026"},
//  {"task":"Apply for the water permit","project":"Irrigation"},
//  {"task":"Compare the rates","project":"Tractor leasing"}
// ]
