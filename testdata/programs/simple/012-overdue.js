// Which of my todos are overdue?

async (api) => {
  const now = new Date();
  const rows = await api.currentUser.todos()
    .where(({ todo }) => todo.completed.eq(false).and(todo.dueAt.lt(now)))
    .orderBy(({ todo }) => todo.dueAt)
    .execute();
  return rows.map(r => r.title);
}

//=> ["Call the dentist","Pay the 100% deposit_fee","Don't forget Sam's birthday","File the tax return"]
