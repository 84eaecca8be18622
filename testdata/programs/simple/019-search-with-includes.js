// Find todos whose title contains "the".

(api) => api.currentUser.todos()
  .where(t => t.title.includes('the'))
  .orderBy(t => t.id)
  .select(t => ({ id: t.id, title: t.title }))
  .execute()

//=> [
//  {"id":2,"title":"File the tax return"},
//  {"id":3,"title":"Call the dentist"},
//  {"id":7,"title":"Renew the passport"},
//  {"id":9,"title":"Pay the 100% deposit_fee"},
//  {"id":10,"title":"Water the plants"}
// ]
