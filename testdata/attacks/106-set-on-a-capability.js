// Go fields are writable through goja's bridge: a program set the scope itself.
try { tasks.Scope = '1=1'; tasks.scope = null; delete tasks.where; Object.assign(tasks, { where: 1 }); Object.defineProperty(tasks, 'x', { value: 1 }); } catch (e) {}
return await tasks.where({ id: 2001 }).count();
//=> 0
---
// twin: raw
api.store.Scope = '1=1';
return (await api.store.Find('id', '=', '2001')).length;
//=> 1
