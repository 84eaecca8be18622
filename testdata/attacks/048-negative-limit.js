// SQLite takes a negative limit for none.
return await top.limit(-1).execute();
//! invalid "negative"
---
// twin: raw
return (await api.store.Where("1 = 1 LIMIT -1")).length;
//=> 5
