// NOT reaches the program's own conditions only.
return await tasks.where((t) => t.id.eq(0).not()).count();
//=> 5
---
// twin: open
//=> 8
---
// twin: raw
return (await api.store.Where("0) OR NOT (0")).length;
//! program ""
---
// twin: raw
return (await api.store.Where("0 OR NOT 0")).length;
//=> 8
