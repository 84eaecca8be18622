// Which urgent todos are not done yet?

return await api.currentUser.todos()
  .where(t => t.completed === false && t.priority === 1)
  .select(t => ({ title: t.title }))
  .orderBy(t => t.title)

//=> [
//  {"title":"Don't forget Sam's birthday"},
//  {"title":"File the tax return"},
//  {"title":"Pay the 100% deposit_fee"}
// ]
