// How many projects are there?

(api) => api.organization.projects().execute().then(rows => rows.length).then(n => ({ projects: n }))

//=> {"projects":4}
