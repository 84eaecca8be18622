// A value is looked for in the one column of a query: of any granted object, each within its own scope.
return [
  await tasks.where(t => t.assignee().id.in(people.where(p => p.name.includes('ann')).select(p => p.id))).select(t => t.id),
  await tasks.where(t => t.assignee().id.in(people.where(p => p.name.includes('ann')).select(p => ({ id: p.id })))).select(t => t.id),
  await people.where(p => p.id.notIn(tasks.where(t => t.done).select(t => t.assignee().id))).select(p => p.id),
  await tasks.where(t => t.id.in(top.select(t => t.id))).orderBy(t => t.id).select(t => t.id),
]
//=> [[1001],[1001],[11,12],[1002,1004]]
---
// Null is no member: notIn of a column with nulls holds for what is in none of its values. As of lists, neither in nor notIn
// holds for null; the negation of in, in JavaScript's form, does.
return [
  await org.members().where(m => m.id.notIn(org.projects().lead().select(l => l.id))).select(m => m.id),
  await org.members().where(m => m.id.notIn(tasks.select(t => t.assignee().id))).count(),
  await org.members().where(m => m.id.notIn(tasks.where(t => t.id > 9999).select(t => t.assignee().id))).count(),
  await tasks.where(t => t.assignee().id.notIn(people.where(p => p.id === 11).select(p => p.id))).select(t => t.id),
  await tasks.where(t => !t.assignee().id.in(people.where(p => p.id === 11).select(p => p.id))).select(t => t.id),
  await tasks.where(t => t.dueAt.in(tasks.where(x => x.id !== t.id).select(x => x.dueAt))).select(t => t.id),
]
//=> [[12],0,2,[1002,1004],[1002,1003,1004,1090],[1001,1002]]
---
// Order and limit of the query inside are its own; groups give one key or one aggregate.
return [
  await tasks.where(t => t.id.in(tasks.orderBy(x => x.id.desc()).limit(2).select(x => x.id))).orderBy(t => t.id).select(t => t.id),
  await tasks.where(t => t.id.in(tasks.orderBy(x => x.id).offset(3).select(x => x.id))).orderBy(t => t.id).select(t => t.id),
  await tasks.where(t => t.status.in(tasks.groupBy(x => x.status).where(g => g.count() > 1))).count(),
  await tasks.where(t => t.id.in(tasks.groupBy(x => x.status).select(g => g.max(x => x.id)))).orderBy(t => t.id).select(t => t.id),
  await tasks.where(t => t.status.in(tasks.select(x => x.status).distinct().orderBy(x => x.status).limit(1))).count(),
]
//=> [[1004,1090],[1004,1090],3,[1002,1003,1090],1]
---
// A query of a callback may use the row that it is about.
return [
  await tasks.where(t => t.id.in(t.project().tasks().orderBy(x => x.id).limit(1).select(x => x.id))).orderBy(t => t.id).select(t => t.id),
  await people.where(p => tasks.where(t => t.assignee().id === p.id).count() > 1).select(p => p.id),
  await people.where(p => tasks.some(t => t.assignee().id === p.id && t.status === 'doing')).select(p => p.id),
  await people.orderBy(p => p.id).select(p => ({ id: p.id, last: tasks.where(t => t.assignee().id === p.id).max(t => t.id) })),
  await people.where(p => tasks.every(t => t.assignee().id !== p.id || t.priority >= 5)).select(p => p.id),
  await people.where(p => tasks.where(t => t.assignee().id === p.id).none(t => t.priority < 5)).select(p => p.id),
]
//=> [[1001,1004],[12],[12],[{"id":11,"last":1001},{"id":12,"last":1004}],[12],[12]]
---
// An aggregate of a query is one value in a callback.
return [
  await tasks.where(t => t.priority > tasks.avg(x => x.priority)).orderBy(t => t.id).select(t => t.id),
  await tasks.orderBy(t => t.id).limit(1).select(t => ({ share: t.priority / tasks.sum(x => x.priority), n: tasks.count(), open: tasks.where(x => x.status === 'open').exists() })),
  await tasks.where(t => t.dueAt === tasks.max(x => x.dueAt)).select(t => t.id),
  await tasks.groupBy(t => t.status).where(g => g.count() > tasks.count() / 2).select(g => g.status),
  await tasks.where(t => t.priority >= top.min(x => x.priority)).count(),
  await people.where(p => tasks.groupBy(t => t.status).count() === 3).count(),
]
//=> [[1002,1004],[{"share":0.1875,"n":5,"open":true}],[1090],["open"],2,2]
---
// One query, made outside, in several callbacks.
const ours = people.select(p => p.id);
return [await tasks.where(t => t.assignee().id.in(ours)).count(), await tasks.where(t => t.assignee().id.in(ours) && t.project().lead().id.in(ours)).count(), await ours]
//=> [3,2,[11,12]]
---
return await tasks.where(t => t.id.in(people))
//! invalid "a query of one such column: write .select(t => t.column) behind it"
---
return await tasks.where(t => t.id.in(people.select(p => ({ id: p.id, name: p.name }))))
//! invalid "a query of one such column"
---
return await tasks.where(t => t.id.in(people.select(p => p.name)))
//! invalid "values of the column's type"
---
return await tasks.where(t => t.id.in([people.select(p => p.id)]))
//! invalid "the list must be"
---
return await tasks.where(t => people.select(p => p.id).includes(t.id))
//! denied "column.in(query.select(t => t.column))"
---
return await tasks.where(t => t.id === people.select(p => p.id))
//! invalid "write column.in(query.select(t => t.column)) to look for the column's value in it"
---
return await tasks.where({ id: people.select(p => p.id) })
//! invalid "write column.in(query.select(t => t.column)) to look for the column's value in it"
---
return await tasks.where(t => t.id.in(people.select(p => p.id).execute()))
//! invalid "runs the query"
---
const ids = people.select(p => p.id).execute(); return await tasks.where(t => t.id.in(ids))
//! invalid "people.select(…).execute() was not awaited: it is a promise, which has no value yet; write `const value = await people.select(p => p.id).execute();` before this statement, and value in the callback"
---
const most = tasks.max(t => t.priority); return await tasks.where(t => t.priority === most)
//! invalid "tasks.max(…) was not awaited: it is a promise, which has no value yet; write `const value = await tasks.max(t => t.priority);` before this statement, and value in the callback"
---
return await tasks.where(t => t.id.in(tasks.groupBy(x => x.status).select(g => g.collect(x => x.id))))
//! invalid "the list must be"
---
return await tasks.where(t => t.status.in(tasks.countBy(x => x.status)))
//! invalid "a query of one such column"
---
return await tasks.where(t => t.priority > tasks.groupBy(x => x.status).max(g => g.count())).count()
//=> 2
---
return await tasks.where(t => t.id.in(t.project().tasks().groupBy(x => x.status).select(g => g.max(x => x.id))))
//! invalid "can't be used in a callback"
---
return await tasks.where(t => t.id > people.max(p => t.id))
//! invalid "has to use a column of its own row"
---
return await tasks.select(t => Object.fromEntries(Array.from({ length: 70 }, (_, i) => ['c' + i, t.id.in(top.select(x => x.id))])))
//! limit "too many links and queries"
---
return await tasks.exists()
//! invalid "here write (await tasks.limit(1).count()) > 0"
