// Which is the first done task?

(api) => api.organization.projects().tasks().orderBy(t => t.id).first(t => t.status === 'done')

//=> {"id":1,"title":"Design the thumb joint","status":"done","priority":1,"estimate":16,"dueAt":"2025-11-03T17:00:00.000Z","createdAt":"2025-04-01T09:07:00.000Z","assigneeId":1,"projectId":1}
