// Show the todo with the number 12.

(api) => api.currentUser.todos().where(t => t.id === 12).first()

//=> null
