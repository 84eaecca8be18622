// A plain true is no condition.
return await tasks.where(true).execute();
//! invalid "plain value true"
---
// twin: raw
return (await api.store.Where("1 = 1 OR true")).length;
//=> 8
