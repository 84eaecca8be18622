// Which todos have no due date?

(api) => api.currentUser.todos().where(({ todo }) => todo.dueAt.isNull()).select(({ todo }) => ({ title: todo.title })).execute()

//=> in any order
// [{"title":"Read \"A Pattern Language\""},{"title":"Water the plants"}]
