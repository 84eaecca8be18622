// What is the note of the todo with the nearest due date, if it has one?

async (api) => {
  const next = await api.currentUser.todos().where(t => t.dueAt > '2026-03-10').orderBy(t => t.dueAt).first();
  return next?.notes?.toUpperCase() ?? 'no note';
}

//=> "no note"
