// .as() gives another table the name of the scoped one.
return await org.join(({ org }) => org.members().as('org')).execute();
//! invalid "already in this query"
---
// twin: raw
return api.store.Projects('org');
//~> "BOLT"
