// Show the todos with high priority.

(api) => api.currentUser.todos().where(({ todo }) => todo.priority.eq('high')).execute()

//! invalid 1:70
//! number
//! text
