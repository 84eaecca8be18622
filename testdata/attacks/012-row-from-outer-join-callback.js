// The link of a dead placeholder.
let kept;
await org.join(({ org }) => { kept = org; return org.projects(); }).count();
return await kept.members().execute();
//! invalid "callback that has already returned"
---
// twin: open
return await org.members().execute();
//~> "BOLT cat"
