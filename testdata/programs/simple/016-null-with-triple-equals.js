// Which open todos have no notes?

async (api) => {
  const rows = await api.currentUser.todos().where(t => t.notes === null && !t.completed).orderBy(t => t.id);
  return rows.map(r => r.title);
}

//=> ["Call the dentist","Read \"A Pattern Language\""]
