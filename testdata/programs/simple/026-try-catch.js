// Show my first todo, or say what went wrong.

async (api) => {
  try {
    const rows = await api.currentUser.todos().orderBy(t => t.id).limit(1).execute();
    return { ok: true, title: rows[0].title };
  } catch (err) {
    return { ok: false, error: err.message };
  }
}

//=> {"ok":true,"title":"Buy milk"}
