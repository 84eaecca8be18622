// Which organization does the project "Irrigation" belong to, and on which plan is it?
// as: 2

(api) => api.organization.projects()
  .where({ name: 'Irrigation' })
  .organization()
  .select(o => ({ name: o.name, plan: o.plan }))
  .first()

//=> {"name":"Globex Farms","plan":"team"}
