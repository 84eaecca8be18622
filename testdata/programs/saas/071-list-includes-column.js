// How many tasks are todo or done?

(api) => api.organization.projects().tasks().where(t => ['todo', 'done'].includes(t.status)).count()

//=> 21
