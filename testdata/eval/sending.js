// When a query runs: await sends it, and so does returning it; nothing else.
const q = tasks.where({ done: true }); return [(await q).length, (await q.execute()).length, (await q.first()).id, await q.count()]
//=> [1,1,1003,1]
---
return tasks.where({ done: true }).select((t) => ({ id: t.id }))  //=> [{"id":1003}]
---
(api) => api.tasks.where({ done: true }).select(t => ({ id: t.id }))  //=> [{"id":1003}]
---
const f = async () => tasks.where({ done: true }).select((t) => ({ id: t.id })); return await f()  //=> [{"id":1003}]
---
return await Promise.all([tasks.count(), org.members().count(), tasks.where({ done: true }).count()])  //=> [5,2,1]
---
return tasks.where({ id: 2001 }).first()  //=> null
---
const { a, b } = Object.fromEntries(await Promise.all(Object.entries({ a: tasks, b: people }).map(async ([k, q]) => [k, await q.count()]))); return [a, b]
//=> [5,2]
---
const n = []; for (const p of await org.projects().orderBy((p) => p.id).execute()) n.push(await tasks.where((t) => t.id.gt(p.id)).count()); return n
//=> [5,5,5]
---
return await tasks.execute().then((rows) => rows.length)  //=> 5
---
return tasks.count().then((n) => n * 2)  //=> 10
---
try { await box.fail(); } catch (e) { return [e.message, e.kind, e instanceof Error]; }
//=> ["box.fail: internal error","internal",true]
---
return (await Promise.allSettled([box.fail(), box.put(1)])).map((x) => x.status)  //=> ["rejected","fulfilled"]
---
await box.fail()  //! internal "box.fail: internal error"
---
box.fail(); return 1  //! internal "a promise that was not awaited failed"
---
box.fail().catch(() => {}); return 1  //=> 1
---
new Promise(() => {})  //! program "nothing will ever settle"
---
const p = new Promise((ok) => setOk = ok)  //! syntax "setOk"
---
const { promise, resolve } = Promise.withResolvers(); box.put(7).then(resolve); return promise  //=> 7
---
// A query is no thenable: handing one through a promise does not run it.
const q = await Promise.resolve([tasks]); return typeof q[0].then  //=> "undefined"
