// Rows of two queries that show the same columns, each within its own scope.
return [
  await people.select(p => ({ id: p.id, name: p.name })).union(tasks.where(t => t.done).select(t => ({ id: t.id, name: t.title }))).orderBy(r => r.id),
  await tasks.select(t => t.status).union(tasks.select(t => t.status)).count(),
  await tasks.select(t => t.status).unionAll(tasks.select(t => t.status)).count(),
  await tasks.select(t => t.status).concat(top.select(t => t.status)).count(),
  (await tasks.select(t => t.id).intersect(top.select(t => t.id))).toSorted(),
  (await tasks.select(t => t.id).except(top.select(t => t.id))).toSorted(),
]
//=> [[{"id":11,"name":"ACME ann"},{"id":12,"name":"ACME bob"},{"id":1003,"name":"ACME test"}],3,10,7,[1002,1004],[1001,1003,1090]]
---
// What comes after is about the rows together; an order and a limit before it are of the one query.
return [
  await tasks.orderBy(t => t.id).limit(1).select(t => ({ id: t.id })).unionAll(tasks.orderBy(t => t.id.desc()).limit(1).select(t => ({ id: t.id }))).orderBy(r => r.id),
  await tasks.select(t => ({ kind: 'task', n: t.priority, big: false })).unionAll(people.select(p => ({ kind: 'person', n: p.id, big: true }))).where(r => r.kind === 'person' || r.n > 4).orderBy(r => [r.n, r.kind]).select(r => ({ k: r.kind.upper(), n: r.n + 1, big: r.big })),
  await tasks.select(t => ({ s: t.status })).unionAll(top.select(t => ({ s: t.status }))).groupBy(r => r.s).select(g => ({ s: g.s, n: g.count() })),
  await tasks.select(t => ({ n: t.priority })).unionAll(people.select(p => ({ n: p.id }))).sum(r => r.n),
  await tasks.select(t => ({ n: t.priority })).union(tasks.select(t => ({ n: t.priority }))).orderBy(r => r.n.desc()).offset(1).limit(2),
  await tasks.select(t => ({ n: t.priority })).union(people.select(p => ({ n: p.id }))).orderBy(r => r.n).first(),
  await people.where(p => p.id.in(tasks.select(t => t.assignee().id).union(tasks.select(t => t.id)))).select(p => p.id),
  await tasks.countBy(t => t.status).unionAll(tasks.groupBy(t => ({ status: t.title })).select(g => ({ status: g.status, count: g.count() }))).where(r => r.count > 1),
  await tasks.select(t => ({ n: t.id })).union(people.select(p => ({ n: p.id }))).except(top.select(t => ({ n: t.id }))).orderBy(r => r.n),
]
//=> [[{"id":1001},{"id":1090}],[{"k":"TASK","n":6,"big":false},{"k":"TASK","n":6,"big":false},{"k":"PERSON","n":12,"big":true},{"k":"PERSON","n":13,"big":true}],[{"s":"doing","n":2},{"s":"done","n":1},{"s":"open","n":4}],39,[{"n":3},{"n":2}],{"n":1},[11,12],[{"status":"open","count":3}],[{"n":11},{"n":12},{"n":1001},{"n":1003},{"n":1090}]]
---
// Values are equal as they are shown: null is equal to null, and a time to the millisecond.
return [
  await tasks.select(t => ({ d: t.dueAt })).union(tasks.select(t => ({ d: t.dueAt }))).orderBy(r => r.d),
  await tasks.select(t => ({ p: t.priority / 2 })).union(tasks.select(t => ({ p: t.project().budget }))).orderBy(r => r.p),
  await org.projects().select(p => ({ p: p.budget })).intersect(org.projects().select(p => ({ p: p.budget + 0 }))).orderBy(r => r.p),
]
//=> [[{"d":null},{"d":"2025-12-31T23:59:59.999Z"},{"d":"2026-01-02T03:04:05.000Z"},{"d":"2026-06-01T00:00:00.000Z"}],[{"p":null},{"p":0.5},{"p":1},{"p":1.5},{"p":2.5},{"p":1000.5}],[{"p":null},{"p":7},{"p":1000.5}]]
---
return await tasks.union(top)
//! invalid "select the columns in both before it"
---
return await tasks.select(t => ({ a: t.id })).union(tasks.select(t => ({ b: t.id })))
//! invalid "must show the same columns, of the same names and types in the same order: { a: a whole number }; it shows { b: a whole number }"
---
return await tasks.select(t => ({ a: t.id })).union(tasks.select(t => ({ a: t.title })))
//! invalid "it shows { a: text }"
---
return await tasks.select(t => ({ a: t.id })).union(await tasks.select(t => ({ a: t.id })))
//! invalid "the other query must be a query"
---
return await tasks.select(({ task }) => ({ a: task })).union(tasks.select(({ task }) => ({ a: task })))
//! invalid "`a` is a record"
---
return await tasks.select(t => ({ a: t.dueAt, w: new Date(0) })).union(tasks.select(t => ({ a: t.dueAt, w: new Date(0) })))
//! invalid "is a constant of a type that can't be combined"
---
return await tasks.select(t => ({ a: t.id })).union(tasks.select(t => ({ a: t.id }))).where(r => r.b > 1)
//! denied "row has no member `b`"
---
return await tasks.select(t => ({ a: t.id })).union(people.select(p => ({ a: p.id }))).join(people, ({ row, person }) => row.a === person.id)
//! invalid "can't be joined"
---
return await people.where(p => tasks.where(t => t.assignee().id === p.id).select(t => t.id).union(tasks.select(t => t.id)).count() > 1)
//! invalid "write it outside of callbacks"
---
return await tasks.select(t => t.id).minus(top.select(t => t.id))
//! denied ".except(otherQuery.select(t => ({ x: t.column })))"
