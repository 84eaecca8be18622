// An inner query is sent from inside the callback, with the outer row in it, and
// its rows are carried out by another capability.
let stolen = null;
await org.where(({ org }) => {
  const p = org.projects().execute();
  p.then((rows) => { stolen = rows; });
  return org.id.eq(1);
}).execute();
return await box.put(stolen);
//! invalid ""
---
// twin: open
return await org.where(({ org }) => org.id.gt(0)).projects().execute();
//~> "BOLT bridge"
