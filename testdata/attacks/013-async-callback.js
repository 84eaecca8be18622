// An async callback could wait for rows of the outer query's own row.
return await org.join(async ({ org }) => org.projects()).execute();
//! invalid "must not be async"
---
// twin: raw
const f = async (o) => o.id;
return await f({ id: 'reached' });
//=> "reached"
