// Show my todos of priority 1 and 2 that are done.

(api) => api.currentUser.todos().where({ priority: [1, 2], completed: true }).select(({ todo }) => ({ title: todo.title, priority: todo.priority })).execute()

//=> in any order
// [{"title":"Book flights to Lisbon","priority":2},{"title":"Pay rent","priority":1}]
