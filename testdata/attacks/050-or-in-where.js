// OR binds weaker than the AND of the scope.
return (await tasks.where((t) => t.id.eq(1001).or(t.id.gt(0))).execute()).length;
//=> 5
---
// twin: open
//=> 8
---
// twin: raw
return (await api.store.Where("id = 1001 OR id > 0")).length;
//=> 8
