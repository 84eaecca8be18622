// Show the names of my todos.

(api) => api.currentUser.todos().select(({ todo }) => ({ name: todo.name })).execute()

//! denied 1:69
//! todo has no member `name`
//! `title`
