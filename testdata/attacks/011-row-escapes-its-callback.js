// A placeholder is kept and used in another query, where it stands for no row.
let kept;
await tasks.where((t) => { kept = t.task; return t.task.id.gt(0); }).count();
return await org.where(({ org }) => org.id.eq(kept.id)).execute();
//! invalid "callback that has already returned"
---
// twin: open
return await org.where(({ org }) => org.id.gt(0)).execute();
//~> "BOLT"
