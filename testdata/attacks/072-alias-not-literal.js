// An alias computed from a column.
return await tasks.where((t) => { tasks.as(t.title); return t.id.gt(0); }).execute();
//! invalid ""
---
// twin: raw
return (await api.store.As('tasks')).length;
//=> 5
