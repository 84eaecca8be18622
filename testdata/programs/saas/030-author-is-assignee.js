// Which comments were written by the assignee of the task?

(api) => api.organization.projects().tasks()
  .join(({ task }) => task.comments())
  .join(({ task }) => task.assignee())
  .join(({ comment }) => comment.author().as('author'))
  .where(({ member, author }) => member.id.eq(author.id))
  .orderBy(({ comment }) => comment.id)
  .select(({ task, comment, author }) => ({ task: task.title, body: comment.body, by: author.name }))
  .execute()

//=> [
//  {"task":"Write the grip controller","body":"Done on Friday, please review.","by":"Carol Nguyen"},
//  {"task":"Test with eggs","body":"Moved to the next sprint.","by":"Carol Nguyen"},
//  {"task":"Write the safety report","body":"The torque is within limits now.","by":"Alice Moreau"},
//  {"task":"Choose a font","body":"See the drawing in the shared folder.","by":"Esther Mbeki"},
//  {"task":"Move the blog","body":"It's 90% there.","by":"Bob Castellanos"},
//  {"task":"Measure page speed","body":"This blocks the demo!","by":"Dmitri Volkov"},
//  {"task":"Install charging docks","body":"It's 90% there.","by":"Dmitri Volkov"},
//  {"task":"Return the loan robot","body":"The torque is within limits now.","by":"Bob Castellanos"}
// ]
