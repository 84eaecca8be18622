// Which tasks are todo or done?

(api) => api.organization.projects().tasks().where({ status: { in: ['todo', 'done'] } }).select('id', 'status').execute()

//=> in any order
// [{"id":1,"status":"done"},{"id":2,"status":"done"},{"id":8,"status":"done"},{"id":5,"status":"todo"},{"id":6,"status":"todo"},{"id":7,"status":"todo"},{"id":9,"status":"done"},{"id":10,"status":"done"},{"id":12,"status":"todo"},{"id":13,"status":"todo"},{"id":14,"status":"todo"},{"id":16,"status":"todo"},{"id":17,"status":"done"},{"id":21,"status":"done"},{"id":19,"status":"todo"},{"id":22,"status":"todo"},{"id":23,"status":"todo"},{"id":24,"status":"todo"},{"id":26,"status":"done"},{"id":25,"status":"todo"},{"id":28,"status":"todo"}]
