// What is due next?

(api) => api.currentUser.todos().orderBy(({ todo }) => todo.due_at).limit(1).execute()

//! denied 1:61
//! todo has no member `due_at`
//! did you mean `dueAt`?
