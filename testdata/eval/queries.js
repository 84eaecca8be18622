// The relational methods, and what their results are.
return await tasks.where({ done: false, priority: 5 }).select((t) => ({ id: t.id })).orderBy((t) => t.id)  //=> [{"id":1002},{"id":1004}]
---
return (await tasks.where({ id: [1001, 1003, 2001] }).execute()).map((t) => t.id)  //=> [1001,1003]
---
return (await tasks.where({ dueAt: null }).execute()).map((t) => t.id)  //=> [1003]
---
return (await tasks.where((t) => t.id.in([])).execute())  //=> []
---
return (await tasks.orderBy((t) => [t.priority.desc(), t.id]).execute()).map((t) => t.id)  //=> [1002,1004,1001,1090,1003]
---
return (await tasks.orderBy((t) => t.status).orderBy((t) => t.id.desc()).execute()).map((t) => t.id)  //=> [1002,1003,1090,1004,1001]
---
// null first, last when backwards.
return [(await tasks.orderBy((t) => t.dueAt).first()).id, (await tasks.orderBy((t) => t.dueAt.desc()).execute()).at(-1).id]  //=> [1003,1003]
---
// Ties are broken by key, in the direction of the last term, where a limit makes the order count.
return [(await tasks.orderBy((t) => t.done).limit(2).execute()).map((t) => t.id), (await tasks.orderBy((t) => t.priority.desc()).first()).id]  //=> [[1001,1002],1004]
---
// limit then where filters the limited rows; where then limit does not.
return [await tasks.orderBy((t) => t.id).limit(2).where({ done: true }).count(), await tasks.where({ done: true }).limit(2).count()]  //=> [0,1]
---
// limits take the least, offsets add up.
const q = tasks.orderBy((t) => t.id);
return [(await q.limit(4).limit(2).execute()).length, (await q.limit(2).limit(4).execute()).length, (await q.offset(1).offset(2).execute()).map((t) => t.id)]
//=> [2,2,[1004,1090]]
---
return (await org.projects().tasks().where({ done: true }).execute()).map((t) => t.title)  //=> ["ACME test"]
---
return (await tasks.where({ id: 1001 }).project().org().execute())  //=> [{"id":1,"name":"ACME org"}]
---
// A link of a query gives each row once; a join gives each pair.
return [await tasks.project().count(), await tasks.join(({ task }) => task.project()).count()]  //=> [2,5]
---
return await tasks.join(({ task }) => task.project()).select(({ task, project }) => ({ t: { id: task.id }, p: project })).where(({ task }) => task.id === 1001)
//=> [{"t":{"id":1001},"p":{"id":101,"name":"ACME rocket","budget":1000.5}}]
---
return await tasks.where({ id: 1001 }).join(({ task }) => task.project()).select((ns) => ns)
//=> [{"task":{"id":1001,"title":"ACME draw","status":"open","done":false,"priority":3,"dueAt":"2026-01-02T03:04:05.000Z"},"project":{"id":101,"name":"ACME rocket","budget":1000.5}}]
---
return await tasks.where({ id: 1003 }).select((t) => ({ ...t, kind: 'task', n: 1, nothing: null, yes: true, late: t.dueAt.lt('2026-01-01') }))
//=> [{"id":1003,"title":"ACME test","status":"done","done":true,"priority":1,"dueAt":null,"kind":"task","n":1,"nothing":null,"yes":true,"late":null}]
---
// One table twice.
return await tasks.as('a').join(tasks.as('b'), ({ a, b }) => a.priority === b.priority && a.id < b.id).select(({ a, b }) => ({ a: a.id, b: b.id }))
//=> [{"a":1002,"b":1004}]
---
// Times compare as instants, whatever form they are stored in.
return [await tasks.where((t) => t.dueAt.eq('2026-01-02T03:04:05Z')).count(), await tasks.where((t) => t.dueAt === new Date('2026-01-02T04:04:05+01:00')).count(), await tasks.where((t) => t.dueAt < new Date()).count()]
//=> [2,2,3]
---
// A limit in a join's callback acts for each row.
return (await tasks.where({ done: false }).join(({ task }) => task.comments().orderBy((c) => c.id.desc()).limit(1)).select(({ task, comment }) => ({ t: task.id, c: comment.id })).execute()).toSorted((a, b) => a.t - b.t)
//=> [{"t":1001,"c":5002},{"t":1002,"c":5090}]
---
// A join with a closed query: its limit acts once.
return await tasks.as('a').join(tasks.orderBy((t) => t.id).limit(1), ({ a, task }) => a.id >= task.id).count()  //=> 5
---
return await tasks.taskTags().tag().orderBy((t) => t.id)  //=> [{"id":1,"name":"urgent"},{"id":2,"name":"later"}]
---
return await top.select((t) => ({ id: t.id }))  //=> [{"id":1004},{"id":1002}]
---
return [await top.count(), await top.limit(1).count(), await top.where({ id: 1004 }).count(), await top.comments().count()]  //=> [2,1,1,2]
---
return await tasks.where((t) => t.status.in(['open', 'doing']).and(t.done.not()).and(t.priority.ge(3).or(t.dueAt.isNull()))).count()  //=> 3
---
return await tasks.where((t) => t.done['='](true)).count() + await tasks.where((t) => t.priority['<>'](5)).count()  //=> 4
---
// A query that follows no link needs a condition: without one it would give every pair.
return await org.join(tasks).count()  //! invalid "needs a condition"
---
return [await org.join(tasks, ({ org }) => org.id.isNotNull()).count(), await tasks.as('a').join(tasks.as('b'), ({ a, b }) => a.id.isNotNull()).count()]  //=> [5,25]
---
// limit and offset that follow each other are one page, in whatever order.
return [(await tasks.orderBy((t) => t.id).limit(2).offset(2).execute()).map((t) => t.id), (await tasks.orderBy((t) => t.id).offset(2).limit(2).execute()).map((t) => t.id)]
//=> [[1003,1004],[1003,1004]]
---
const rows = await tasks.orderBy((t) => t.id).limit(2).select((t) => ({ id: t.id })).execute();
return [await box.put(rows), await box.put({ rows, first: rows[0] }), await tasks.where((t) => t.id.in(rows.map((r) => r.id))).count(), await tasks.where({ id: rows.map((r) => r.id) }).count()]
//=> [[{"id":1001},{"id":1002}],{"rows":[{"id":1001},{"id":1002}],"first":{"id":1001}},2,2]
---
const rows = await tasks.limit(1).execute();
return tasks.where(rows).count()
//! invalid "tasks.where: wants a callback, like"
