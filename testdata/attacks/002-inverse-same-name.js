// The same with the very name of the outer table: refused, not shadowed.
return await org.join(({ org }) => org.projects().join(({ project }) => project.org())).execute();
//! invalid "org is already in this query"
---
// twin: raw
return api.store.Projects('org');
//~> "BOLT bridge"
