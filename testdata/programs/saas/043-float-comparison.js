// Which tasks take less than an hour?
// as: 3

(api) => api.organization.projects().tasks().where(t => t.estimate < 1 && t.estimate > 0).orderBy(t => t.id).select(t => ({ title: t.title, estimate: t.estimate })).execute()

//=> [{"title":"Rename the error","estimate":0.5},{"title":"Ask the basement","estimate":0.5}]
