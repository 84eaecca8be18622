(api) => api.organization.projects().tasks().join(({ task }) => task.note()).where(({ note }) => note.body.startsWith('e')).count()
