// Which tasks are done?

(api) => api.organization.projects().tasks().where('status', '=', 'done').select('id', 'status').execute()

//=> in any order
// [{"id":1,"status":"done"},{"id":2,"status":"done"},{"id":8,"status":"done"},{"id":9,"status":"done"},{"id":10,"status":"done"},{"id":17,"status":"done"},{"id":21,"status":"done"},{"id":26,"status":"done"}]
