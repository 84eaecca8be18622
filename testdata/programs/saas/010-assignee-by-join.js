// Who is responsible for which open task?

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.status.ne('done'))
  .join(({ task }) => task.assignee())
  .select(({ task, member }) => ({ task: task.title, assignee: member.name }))
  .execute()

//=> in any order
// [
//  {"task":"Write the safety report","assignee":"Alice Moreau"},
//  {"task":"Train the night shift","assignee":"Alice Moreau"},
//  {"task":"Agree on a price","assignee":"Alice Moreau"},
//  {"task":"Move the blog","assignee":"Bob Castellanos"},
//  {"task":"Fix the contact form","assignee":"Bob Castellanos"},
//  {"task":"Archive the drawings","assignee":"Bob Castellanos"},
//  {"task":"Write the grip controller","assignee":"Carol Nguyen"},
//  {"task":"Test with eggs","assignee":"Carol Nguyen"},
//  {"task":"Don't break old links","assignee":"Carol Nguyen"},
//  {"task":"Simulate rush hour","assignee":"Carol Nguyen"},
//  {"task":"Calibrate force sensors","assignee":"Dmitri Volkov"},
//  {"task":"Measure page speed","assignee":"Dmitri Volkov"},
//  {"task":"Install charging docks","assignee":"Dmitri Volkov"}
// ]
