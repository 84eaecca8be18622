// Show task 17 with the name of its project.

(api) => api.organization.projects().tasks()
  .where(({ task }) => task.id.eq(17))
  .join(({ task }) => task.project())
  .select(({ task, project }) => ({ ...task, project: project.name }))
  .first()

//=> {"id":17,"title":"Map the hall","status":"done","priority":1,"estimate":9.0,"dueAt":"2026-01-30T17:00:00.000Z","createdAt":"2026-01-07T15:59:00.000Z","assigneeId":4,"projectId":3,"project":"Warehouse pilot"}
