// The first row of each key, in the order of the query: here the most urgent task of each status.
return await tasks.orderBy(t => [t.priority.desc(), t.id]).distinctBy(t => t.status).select(t => ({ id: t.id, status: t.status, p: t.priority }))
//=> [{"id":1002,"status":"doing","p":5},{"id":1004,"status":"open","p":5},{"id":1003,"status":"done","p":1}]
---
// Without an order it is that with the least key; several keys, and calculated ones; what comes after works on these rows.
return [await tasks.distinctBy(t => t.status).select(t => ({ id: t.id })).orderBy(t => t.id), await tasks.distinctBy(t => ({ s: t.status, high: t.priority > 3 })).count(), await tasks.distinctBy(t => [t.status, t.done]).where(t => t.id > 1001).count(), await tasks.orderBy(t => t.id.desc()).distinctBy(t => t.status).limit(1).select(t => ({ id: t.id })), await tasks.distinctBy(t => t.dueAt.year()).max(t => t.id)]
//=> [[{"id":1001},{"id":1002},{"id":1003}],4,2,[{"id":1090}],1004]
---
// Of a join; by a column of a linked row; and links lead on.
return [await tasks.join(({ task }) => task.project()).orderBy(({ task }) => task.id).distinctBy(({ project }) => project.id).select(({ task, project }) => ({ t: task.id, p: project.name })), await tasks.orderBy(t => t.dueAt.desc()).distinctBy(t => t.project().name).select(t => ({ id: t.id })), await tasks.orderBy(t => t.id).distinctBy(t => t.status).comments().count()]
//=> [[{"t":1001,"p":"ACME rocket"},{"t":1004,"p":"ACME garden"}],[{"id":1090},{"id":1002}],4]
---
// partitionBy gives each row a window: the rows with its keys, in the order of the query.
return await tasks.orderBy(t => t.id).partitionBy(t => t.done).select(({ task, window }) => ({ id: task.id, n: window.rowNumber(), before: window.lag(t => t.priority), after: window.lead(t => t.title, 2), sum: window.sum(t => t.priority), soFar: window.runningSum(t => t.priority), first: window.first(t => t.title), last: window.last(t => t.id) }))
//=> [{"id":1001,"n":1,"before":null,"after":"ACME plant","sum":15,"soFar":3,"first":"ACME draw","last":1090},{"id":1002,"n":2,"before":3,"after":"ACME helped from outside","sum":15,"soFar":8,"first":"ACME draw","last":1090},{"id":1003,"n":1,"before":null,"after":null,"sum":1,"soFar":1,"first":"ACME test","last":1003},{"id":1004,"n":3,"before":5,"after":null,"sum":15,"soFar":13,"first":"ACME draw","last":1090},{"id":1090,"n":4,"before":5,"after":null,"sum":15,"soFar":15,"first":"ACME draw","last":1090}]
---
// Without keys it is of all rows. A condition on what it gives filters rows, and the window stays what it was.
return [await tasks.orderBy(t => t.priority.desc()).partitionBy().where(({ window }) => window.rank() <= 2).select(({ task, window }) => ({ p: task.priority, r: window.rank(), share: task.priority / window.sum(t => t.priority) })), await tasks.orderBy(t => t.id).partitionBy(t => t.status).where(({ window }) => window.rowNumber() <= 2).count(), await tasks.where(t => t.status === 'open').partitionBy().select(({ window }) => ({ n: window.count(), a: window.avg(t => t.priority) })).first()]
//=> [[{"p":5,"r":1,"share":0.3125},{"p":5,"r":1,"share":0.3125}],4,{"n":3,"a":3.3333333333333335}]
---
// Of groups: a running total.
return await tasks.groupBy(t => t.status).orderBy(g => g.status).partitionBy().select(({ group, window }) => ({ s: group.status, n: group.count(), soFar: window.runningSum(g => g.count()), before: window.lag(g => g.sum(t => t.priority)) }))
//=> [{"s":"doing","n":1,"soFar":1,"before":null},{"s":"done","n":1,"soFar":2,"before":5},{"s":"open","n":3,"soFar":5,"before":1}]
---
return await tasks.partitionBy(t => t.status).select(({ window }) => ({ r: window.rank() }))  //! invalid "needs an order"
---
return await tasks.partitionBy(t => t.status).select(({ task, window }) => ({ r: window.sum(t => t.priority * task.priority) }))  //! invalid "sees only the rows of the window"
---
// The words of others mean it.
return [await tasks.orderBy(t => t.id.desc()).distinctOn(t => t.status).count(), await tasks.uniqBy(t => t.done).count()]
//=> [3,2]
---
return await tasks.orderBy(t => t.id.desc()).latestBy(t => t.status)  //! denied "distinctBy(t => t.key)"
---
return await tasks.select(t => ({ n: t.rowNumber() }))  //! denied "partitionBy(t => t.key)"
---
return await tasks.select(t => ({ n: t.priority.lag() }))  //! denied "partitionBy(t => t.key)"
---
return await tasks.select(t => ({ n: rowNumber().over({ partitionBy: t.status }) }))  //! syntax "partitionBy(t => t.key)"
---
return await tasks.partitionBy(t => t.status).select(({ window }) => ({ x: window.cumSum(t => t.priority) }))  //! denied "window.runningSum(t => t.column)"
---
return await tasks.groupBy(t => t.status).select(g => ({ x: g.first() }))  //! denied "distinctBy(t => t.key)"
