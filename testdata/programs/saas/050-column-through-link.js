// Who is assigned to the tasks in progress?

(api) => api.organization.projects().tasks()
  .where(t => t.status === 'in_progress')
  .orderBy(t => t.id)
  .select(t => ({ title: t.title, assignee: t.assignee().name }))
  .execute()

//=> [{"title":"Write the grip controller","assignee":"Carol Nguyen"},{"title":"Calibrate force sensors","assignee":"Dmitri Volkov"},{"title":"Move the blog","assignee":"Bob Castellanos"},{"title":"Measure page speed","assignee":"Dmitri Volkov"},{"title":"Install charging docks","assignee":"Dmitri Volkov"},{"title":"Agree on a price","assignee":"Alice Moreau"},{"title":"Write the post-mortem","assignee":null}]
