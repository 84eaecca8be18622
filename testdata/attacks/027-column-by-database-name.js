return await tasks.select((t) => ({ x: t['due_at'] })).execute();
//! denied "did you mean `dueAt`"
---
// twin: raw
return (await api.store.Where("due_at = '2026-06-01'")).length;
//=> 1
