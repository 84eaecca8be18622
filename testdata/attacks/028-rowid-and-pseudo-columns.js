return await tasks.select((t) => ({ x: t.rowid })).execute();
//! denied "no member `rowid`"
---
// twin: raw
return (await api.store.Select('rowid, password')).length;
//=> 2
