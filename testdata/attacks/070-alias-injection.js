// Every string position that exists: .as() first.
return await tasks.as('t" WHERE 1=1 --').execute();
//! invalid "must be a simple name"
---
// twin: raw
return (await api.store.As('t WHERE 1 = 1 --')).length;
//=> 8
