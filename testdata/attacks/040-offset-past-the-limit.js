// top is the host's two tasks; paging asks for the others.
return await top.offset(2).execute();
//=> []
---
// twin: open
//~> "BOLT"
---
// twin: raw
return (await api.store.Page(2, 6)).length;
//=> 2
