// Which tasks of "Gripper v2" are not done?

(api) => api.organization.projects()
  .where(p => p.name === 'Gripper v2')
  .tasks()
  .where(t => t.status !== 'done')
  .orderBy(t => t.priority)
  .orderBy(t => t.id)
  .select(t => ({ title: t.title, priority: t.priority }))
  .execute()

//=> [
//  {"title":"Write the grip controller","priority":1},
//  {"title":"Write the safety report","priority":1},
//  {"title":"Calibrate force sensors","priority":2},
//  {"title":"Test with eggs","priority":3},
//  {"title":"Test with bricks","priority":4}
// ]
