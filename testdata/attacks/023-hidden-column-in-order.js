// So is its order.
return await org.members().orderBy((m) => m.password.desc()).execute();
//! denied "no member `password`"
---
// twin: open
//~> "HIDDEN dan"
---
// twin: raw
return api.store.OrderBy('password DESC');
//=> [{"id":12},{"id":11}]
