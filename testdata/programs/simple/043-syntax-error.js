// Show my todos.

(api) => api.currentUser.todos(.execute()

//! syntax 1:31
//! `(` is never closed
