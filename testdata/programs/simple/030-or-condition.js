// What is either urgent or without a due date, and open?

(api) => api.currentUser.todos()
  .where(({ todo }) => todo.completed.eq(false).and(todo.priority.eq(1).or(todo.dueAt.isNull())))
  .orderBy(({ todo }) => todo.id)
  .select(({ todo }) => ({ id: todo.id }))
  .execute()

//=> [{"id":2},{"id":5},{"id":6},{"id":9}]
