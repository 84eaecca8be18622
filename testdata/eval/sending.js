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
new Promise(() => {})  //! program "a promise that never ends"
---
const p = new Promise((ok) => setOk = ok)  //! syntax "setOk"
---
const { promise, resolve } = Promise.withResolvers(); box.put(7).then(resolve); return promise  //=> 7
---
// A query is no thenable: handing one through a promise does not run it.
const q = await Promise.resolve([tasks]); return typeof q[0].then  //=> "undefined"
---
// A query is executed where only its rows make sense.
const ids = (q) => q.orderBy((t) => t.id).select((t) => ({ id: t.id })); const f = async () => ids(tasks).limit(1); const p = f();
const g = async () => { await null; return ids(tasks).limit(2) };
return [await f(), await p, (await g()).length, (await new Promise((ok) => ok(ids(tasks).limit(3)))).length]
//=> [[{"id":1001}],[{"id":1001}],2,3]
---
const q = tasks.select((t) => ({ id: t.id })).orderBy((t) => t.id); const f = async () => { await null; return q.limit(2) };
const [a, b, c, d] = await Promise.all([q.limit(1), f(), tasks.count(), 7]); return [a, b, c, d]
//=> [[{"id":1001}],[{"id":1001},{"id":1002}],5,7]
---
const q = tasks.where({ id: 1001 }).select((t) => ({ id: t.id }));
return [await Promise.allSettled([q, box.fail()]).then((xs) => xs.map((x) => x.value)), await Promise.race([q]), await Promise.any([q]), await Promise.all([, 1]), await Promise.all(new Set([1]))]
//=> [[[{"id":1001}],null],[{"id":1001}],[{"id":1001}],[null,1],[1]]
---
const q = tasks.where({ id: 1001 }).select((t) => ({ id: t.id }));
return { a: q, b: [q, { c: q.limit(0), d: tasks.count() }], e: [1, 2].map((id) => ({ id, q: async () => 1, rows: q.first() })) }
//=> {"a":[{"id":1001}],"b":[[{"id":1001}],{"c":[],"d":5}],"e":[{"id":1,"rows":{"id":1001}},{"id":2,"rows":{"id":1001}}]}
---
return Promise.resolve({ a: tasks.where({ id: 0 }), b: (async () => tasks.where({ id: 0 }))() })  //=> {"a":[],"b":[]}
---
const rows = await tasks.where({ id: 1001 }).select((t) => ({ id: t.id })).execute(); rows[0].more = tasks.where({ id: 0 }); return rows
//=> [{"id":1001,"more":[]}]
---
return { a: box.fail() }  //! internal "box.fail: internal error"
---
return { a: new Promise(() => {}) }  //! program "a promise that never ends"
---
return { get a() { return [tasks.where({ id: 0 })] } }  //! invalid "has a new query each time it is read"
---
return { a: tasks, b: box }  //! invalid "the result's b: box is an object, not data"
---
// One that was executed and nothing else: it is not sent once more for each place.
const q = tasks.where({ id: 0 }); return Array(500).fill(q).length === 500 ? Array(3).fill(q) : 0  //=> [[],[],[]]
---
// Handing a query on by a promise does not execute it.
return (await Promise.resolve({ q: tasks })).q.count()  //=> 5
---
return Promise.resolve(tasks).then((q) => q.count())  //=> 5
