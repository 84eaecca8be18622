// What is due before the 5th of March?

const rows = await api.currentUser.todos()
  .where(({ todo }) => todo.dueAt['<']('2026-03-05'))
  .orderBy(({ todo }) => todo.id)
  .execute();
return rows.map(r => r.id);

//=> [1,4,8]
