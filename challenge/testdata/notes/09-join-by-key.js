(api) => { const n = api.organization.notes(); return api.organization.projects().tasks().join(n, ({ task, note }) => task.noteId !== note.id).execute() }
