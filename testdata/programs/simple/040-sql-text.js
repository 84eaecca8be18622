// Show my open todos.

(api) => api.currentUser.query("SELECT * FROM todos WHERE completed = 0")

//! denied 1:14
//! `query`
//! .todos()
