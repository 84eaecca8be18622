// Show the five newest comments with who wrote them and on what.

(api) => api.organization.projects().tasks().comments()
  .join(({ comment }) => comment.author())
  .join(({ comment }) => comment.task())
  .orderBy(({ comment }) => [comment.createdAt.desc(), comment.id.desc()])
  .limit(5)
  .select(({ comment, member, task }) => ({ at: comment.createdAt, author: member.name, task: task.title, body: comment.body }))
  .execute()

//=> [
//  {"at":"2026-03-28T18:23:00.000Z","author":"Esther Mbeki","task":"Write the safety report","body":"Who signs this off?"},
//  {"at":"2026-03-26T12:05:00.000Z","author":"Carol Nguyen","task":"Write the grip controller","body":"Done on Friday, please review."},
//  {"at":"2026-03-23T09:14:00.000Z","author":"Alice Moreau","task":"Return the loan robot","body":"Who signs this off?"},
//  {"at":"2026-03-21T15:56:00.000Z","author":"Carol Nguyen","task":"Buy floor markers","body":"Done on Friday, please review."},
//  {"at":"2026-03-19T09:38:00.000Z","author":"Dmitri Volkov","task":"Install charging docks","body":"It's 90% there."}
// ]
