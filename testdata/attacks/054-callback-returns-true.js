return await tasks.where(() => true).execute();
//! invalid "plain value true"
---
// twin: raw
return (await api.store.Where("true OR true")).length;
//=> 8
