return await tasks.where({ 'id = 1 OR 1': 1 }).execute();
//! denied "no member `id = 1 OR 1`"
---
// twin: raw
return (await api.store.Find('id = 0 OR id', '>', '1')).length;
//=> 8
