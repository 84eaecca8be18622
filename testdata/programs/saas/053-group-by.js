// Count the tasks by status.

(api) => api.organization.projects().tasks().groupBy(t => t.status).select(g => ({ status: g.status, n: g.count() }))

//=> in any order
// [
//  {"status":"done","n":8},
//  {"status":"in_progress","n":7},
//  {"status":"todo","n":13}
// ]
