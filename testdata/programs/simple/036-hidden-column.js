// Whose todos are these?

(api) => api.currentUser.todos().select(({ todo }) => ({ owner: todo.userId })).execute()

//! denied 1:70
//! todo has no member `userId`
//! did you mean `user`?
