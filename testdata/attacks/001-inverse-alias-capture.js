// An inner query joins the inverse link and so binds the outer name anew. In
// exoagent the scope then spoke of the wrong table and every tenant's rows came.
return await org
  .join(({ org }) => org.projects().as('p1'))
  .join(({ p1 }) => p1.org().as('o2').join(({ o2 }) => o2.projects().as('p2')))
  .select(({ p2 }) => ({ id: p2.id }))
  .orderBy(({ p2 }) => p2.id)
  .execute();
//=> [{"id":101},{"id":101},{"id":101},{"id":102},{"id":102},{"id":102},{"id":190},{"id":190},{"id":190}]
---
// twin: open
//~> "{\"id\":201}"
---
// twin: raw
return api.store.Projects('org');
//~> "BOLT bridge"
