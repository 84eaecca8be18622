// Show the newest task.

(api) => api.organization.projects().tasks().orderBy('createdAt', 'desc').limit(1).select('id', 'title').execute()

//=> in any order
// [{"id":24,"title":"Count to 100%"}]
