// A link to at most one row is that row: null where there is none, and where it is out of scope.
return await tasks.orderBy(t => t.id).select(t => ({ id: t.id, who: t.assignee().name }))
//=> [{"id":1001,"who":"ACME ann"},{"id":1002,"who":"ACME bob"},{"id":1003,"who":null},{"id":1004,"who":"ACME bob"},{"id":1090,"who":null}]
---
return await tasks.where(t => t.assignee().name === 'ACME bob').orderBy(t => t.id).select(t => ({ id: t.id }))
//=> [{"id":1002},{"id":1004}]
---
// Conditions on it are those on any column: null is a value to ===, and unknown to the others.
return [await tasks.where(t => t.assignee().name !== 'ACME bob').count(), await tasks.where(t => t.assignee().name < 'ACME b').count(), await tasks.where(t => t.assignee().name === null).count(), await tasks.where(t => t.assignee().name.includes('bob')).count(), await tasks.where(t => (t.assignee().name ?? 'nobody') === 'nobody').count(), await tasks.where(t => t.assignee().name.in(['ACME ann', 'x'])).count(), await tasks.where(t => t.assignee()?.id > 11).count()]
//=> [3,1,2,2,2,1,2]
---
// Over several links, each in scope.
return [await tasks.orderBy(t => t.id).select(t => ({ lead: t.project().lead().name, org: t.project().org().name })), await org.projects().orderBy(p => p.id).select(p => ({ id: p.id, lead: p.lead().email, of: p.lead().org().id }))]
//=> [[{"lead":"ACME ann","org":"ACME org"},{"lead":"ACME ann","org":"ACME org"},{"lead":"ACME ann","org":"ACME org"},{"lead":null,"org":"ACME org"},{"lead":null,"org":"ACME org"}],[{"id":101,"lead":"ann@ACME.example","of":1},{"id":102,"lead":null,"of":null},{"id":190,"lead":null,"of":null}]]
---
// Whether there is a row, over several links too.
return [await tasks.where(t => !t.project().lead()).count(), await tasks.where(t => t.project().lead() !== null).count(), await tasks.where(t => t.project().lead().exists()).count(), await tasks.where(t => !t.assignee).count(), await tasks.where(t => t.assignee().where(m => m.name === 'ACME ann').exists()).count()]
//=> [2,3,3,2,1]
---
// Sorted by it, and cut: null comes first, as everywhere.
return [await tasks.orderBy(t => [t.assignee().name.desc(), t.id]).limit(2).select(t => ({ id: t.id })), await tasks.orderBy(t => [t.assignee().name, t.id]).limit(3).where(t => t.assignee().name !== null).select(t => ({ id: t.id, who: t.assignee().name }))]
//=> [[{"id":1002},{"id":1004}],[{"id":1001,"who":"ACME ann"}]]
---
// Groups by it, and of it.
return [await tasks.groupBy(t => t.assignee().name).select(g => ({ who: g.name, n: g.count(), sum: g.sum(t => t.priority) })), await tasks.groupBy(t => t.status).select(g => ({ s: g.status, who: g.max(t => t.assignee().name), ann: g.where(t => t.assignee().name === 'ACME ann').count(), talk: g.sum(t => t.comments().count()) }))]
//=> [[{"who":null,"n":2,"sum":3},{"who":"ACME ann","n":1,"sum":3},{"who":"ACME bob","n":2,"sum":10}],[{"s":"doing","who":"ACME bob","ann":0,"talk":2},{"s":"done","who":null,"ann":0,"talk":0},{"s":"open","who":"ACME bob","ann":1,"talk":2}]]
---
// Times, numbers and calculations through a link are those of the row itself.
return await tasks.where(t => t.project().budget > 1000).orderBy(t => t.id).limit(2).select(t => ({ half: t.project().budget / 2, year: t.comments().max(c => c.createdAt), name: t.project().name.toUpperCase(), both: `${t.project().name}: ${t.assignee().name}` }))
//=> [{"half":500.25,"year":"2026-01-04T00:00:00.000Z","name":"ACME ROCKET","both":"ACME rocket: ACME ann"},{"half":500.25,"year":"2026-01-06T00:00:00.000Z","name":"ACME ROCKET","both":"ACME rocket: ACME bob"}]
---
// A link to many: how many there are, and aggregates. Of no rows there is no value.
return await org.projects().orderBy(p => p.id).select(p => ({ id: p.id, n: p.tasks().count(), open: p.tasks().where(t => t.status === 'open').count(), sum: p.tasks().sum(t => t.priority), avg: p.tasks().avg(t => t.priority), min: p.tasks().min(t => t.dueAt), max: p.tasks().max(t => t.title), states: p.tasks().countDistinct(t => t.status) }))
//=> [{"id":101,"n":3,"open":1,"sum":9,"avg":3,"min":"2026-01-02T03:04:05.000Z","max":"ACME test","states":3},{"id":102,"n":2,"open":2,"sum":7,"avg":3.5,"min":"2025-12-31T23:59:59.999Z","max":"ACME plant","states":1},{"id":190,"n":0,"open":0,"sum":null,"avg":null,"min":null,"max":null,"states":0}]
---
// some, every and none: of no rows every condition holds.
return await org.projects().orderBy(p => p.id).select(p => ({ some: p.tasks().some(t => t.priority > 4), every: p.tasks().every(t => t.priority > 1), none: p.tasks().none(t => t.done), has: p.tasks().exists(), all: p.tasks().where(t => t.priority > 1).every({ status: 'open' }) }))
//=> [{"some":true,"every":false,"none":false,"has":true,"all":false},{"some":true,"every":true,"none":true,"has":true,"all":true},{"some":false,"every":true,"none":true,"has":false,"all":true}]
---
// An unknown condition does not hold: of the project with a task without a due date not every task is due.
return [await org.projects().where(p => p.tasks().every(t => t.dueAt < '2030-01-01')).count(), await org.projects().where(p => p.tasks().some(t => t.dueAt > '2030-01-01')).count(), await org.projects().where(p => p.tasks().none(t => t.dueAt > '2030-01-01')).count(), await org.projects().where(p => !p.tasks().every(t => t.dueAt < '2030-01-01')).count()]
//=> [2,0,3,1]
---
// In where, in an order, beside the row's own columns, and with those of the row in the condition.
return [await org.projects().where(p => p.tasks().count() > 2).count(), await org.projects().where(p => p.tasks().sum(t => t.priority) > 6 && p.id > 101).count(), await org.projects().orderBy(p => p.tasks().count().desc()).first().then(p => p.id), await org.projects().where(p => p.tasks().some(t => t.priority * 200 < p.budget)).count(), await tasks.where(t => t.comments().some(c => c.author().name === t.assignee().name)).count()]
//=> [1,1,101,1,2]
---
// Links of links, a limit for each row, and joins in between.
return await org.projects().orderBy(p => p.id).select(p => ({ talk: p.tasks().comments().count(), by: p.tasks().comments().author().count(), deep: p.tasks().sum(t => t.comments().count()), two: p.tasks().orderBy(t => t.priority.desc()).limit(2).sum(t => t.priority), bobs: p.tasks().join(({ task }) => task.assignee()).where(({ member }) => member.name === 'ACME bob').count(), busy: p.tasks().some(t => t.comments().count() > 1) }))
//=> [{"talk":4,"by":2,"deep":4,"two":8,"bobs":1,"busy":true},{"talk":0,"by":0,"deep":0,"two":7,"bobs":1,"busy":false},{"talk":0,"by":0,"deep":null,"two":null,"bobs":0,"busy":false}]
---
// In the callbacks of joins, and of rows that a left join did not find.
return [await tasks.join(({ task }) => task.comments().where(c => c.author().name === task.assignee().name)).count(), await tasks.leftJoin(({ task }) => task.assignee()).orderBy(({ task }) => task.id).select(({ task, member }) => ({ id: task.id, n: member.assignedTasks().count(), org: member.org().name })), await tasks.leftJoin(({ task }) => task.comments().where(c => c.author().name === 'ACME bob')).orderBy(({ task }) => task.id).select(({ task, comment }) => ({ c: comment.id }))]
//=> [2,[{"id":1001,"n":1,"org":"ACME org"},{"id":1002,"n":2,"org":"ACME org"},{"id":1003,"n":0,"org":null},{"id":1004,"n":2,"org":"ACME org"},{"id":1090,"n":0,"org":null}],[{"c":5002},{"c":5003},{"c":null},{"c":null},{"c":null}]]
---
// Of a host's own limit only what is left is reached, back over links too.
return [await top.orderBy(t => t.id).select(t => ({ id: t.id, of: t.project().name, n: t.project().tasks().count() })), await top.where(t => t.project().tasks().some(x => x.id === 1001)).count()]
//=> [[{"id":1002,"of":"ACME rocket","n":1},{"id":1004,"of":"ACME garden","n":1}],0]
---
// After distinct and in a limit they are what they were.
return [await tasks.select(t => ({ who: t.assignee().name })).distinct().orderBy(t => t.assignee().name), await tasks.select(t => ({ n: t.comments().count() })).distinct().count(), await tasks.sum(t => t.comments().count()), await tasks.max(t => t.assignee().name)]
//=> [[{"who":null},{"who":"ACME ann"},{"who":"ACME bob"}],2,4,"ACME bob"]
---
// The columns of the one row, one by one.
return await tasks.where(t => t.id < 1004).orderBy(t => t.id).select(t => ({ task: t.title, assignee: { id: t.assignee().id, name: t.assignee().name } }))
//=> [{"task":"ACME draw","assignee":{"id":11,"name":"ACME ann"}},{"task":"ACME build","assignee":{"id":12,"name":"ACME bob"}},{"task":"ACME test","assignee":{"id":null,"name":null}}]
---
// What asks of a link stands in a callback.
return await tasks.some(t => t.done)
//! denied "use (await tasks.execute()).some"
---
return await tasks.where(t => tasks.some(x => x.done)).count()
//=> 5
---
return await tasks.comments().none(t => t.id > 1)
//! denied "has no member `none`"
---
return await tasks.select(t => ({ n: t.comments().body }))
//! denied "it is a list of rows here, and `body` a column of them"
---
return await tasks.select(t => ({ n: t.comments().author().name }))
//! denied "it is a list of rows here, and `name` a column of them"
---
return await tasks.select(t => ({ n: t.assignee().password }))
//! denied "has no member `password`"
---
return await tasks.where(t => t.id < 1004).orderBy(t => t.id).select(t => ({ a: t.assignee() }))
//=> [{"a":{"id":11,"name":"ACME ann","email":"ann@ACME.example"}},{"a":{"id":12,"name":"ACME bob","email":"bob@ACME.example"}},{"a":null}]
---
return await tasks.where(t => t.id < 1004).orderBy(t => t.id).select(t => ({ id: t.id, c: t.comments().orderBy(c => c.id.desc()).select(c => ({ body: c.body, by: c.author().name })) }))
//=> [{"id":1001,"c":[{"body":"ACME agreed","by":"ACME bob"},{"body":"ACME nice","by":"ACME ann"}]},{"id":1002,"c":[{"body":"ACME task, foreign author","by":null},{"body":"ACME started","by":"ACME bob"}]},{"id":1003,"c":[]}]
---
// The first of an order: its columns, the whole row, and whether there is one.
return await tasks.where(t => t.id < 1004).orderBy(t => t.id).select(t => ({ c: t.comments().orderBy(c => c.id.desc()).first(), b: t.comments().first().body, by: t.comments().first().author().name, none: t.comments().first() === null }))
//=> [{"c":{"id":5002,"body":"ACME agreed","createdAt":"2026-01-04T00:00:00.000Z"},"b":"ACME nice","by":"ACME ann","none":false},{"c":{"id":5090,"body":"ACME task, foreign author","createdAt":"2026-01-06T00:00:00.000Z"},"b":"ACME started","by":"ACME bob","none":false},{"c":null,"b":null,"by":null,"none":true}]
---
return await tasks.where(t => t.comments().first() !== null && !t.comments().where(c => c.id > 5002).first()).count()
//=> 1
---
// However the callback is given; lists of values, and limits of each row.
const shown = t => ({ ...t, comments: t.comments().limit(1).select(c => c.body) });
const comments = t => t.comments().orderBy(c => c.id.desc()).limit(1);
return [
  await tasks.where(t => t.id === 1001).select(shown),
  await tasks.where(t => t.id === 1001).select(function (t) { const c = comments(t); return { c }; }),
  await tasks.where(t => t.id === 1001).select(t => { const part = { c: comments(t).select(({ comment }) => ({ id: comment.id })) }; return { x: { ...part } }; }),
]
//=> [[{"id":1001,"title":"ACME draw","status":"open","done":false,"priority":3,"dueAt":"2026-01-02T03:04:05.000Z","comments":["ACME nice"]}],[{"c":[{"id":5002,"body":"ACME agreed","createdAt":"2026-01-04T00:00:00.000Z"}]}],[{"x":{"c":[{"id":5002}]}}]]
---
return await tasks.select(t => ({ c: t.comments }))
//! invalid "comments"
---
return await tasks.where(t => t.id === 1001).select(t => ({ c: t.comments().map(c => c.body) }))
//=> [{"c":["ACME nice","ACME agreed"]}]
---
return await tasks.select(async t => ({ c: await t.comments() }))
//! invalid ""
---
return await tasks.select(t => t.comments())
//! invalid ""
---
return await tasks.select(t => ({ c: t.comments() })).distinct()
//! invalid "can't be compared"
---
return await tasks.select(t => ({ c: t.comments().select(c => ({ n: c.task().comments().count(), t: c.task().select(t => ({ c: t.comments().select(c => ({ t: c.task().select(t => ({ c: t.comments() })) })) })) })) }))
//! limit "nested more than 4 levels deep"
---
return await tasks.select(t => ({ c: t.comments().execute() }))
//! invalid "runs the query"
---
return await org.projects().select(p => ({ n: p.tasks().sum(t => p.budget) }))
//! invalid "has to use a column of its own row"
---
return await org.projects().select(p => ({ n: p.tasks().groupBy(t => t.status).count() }))
//! invalid "groupBy"
---
return await org.projects().select(p => ({ n: p.tasks().select(t => ({ a: t.priority })).sum(t => t.priority) }))
//=> [{"n":9},{"n":7},{"n":null}]
---
return await tasks.select(t => Object.fromEntries(Array.from({ length: 70 }, (_, i) => ['c' + i, t.assignee().name])))
//! limit "too many links"
---
// Medians and lists of what links give.
return [await tasks.median(t => t.comments().count()), await org.projects().orderBy(p => p.id).select(p => ({ m: p.tasks().median(t => t.priority) })), await tasks.groupBy(t => t.done).select(g => ({ d: g.done, who: g.collect(t => t.assignee().name), n: g.median(t => t.comments().count()) }))]
//=> [0,[{"m":3},{"m":3.5},{"m":null}],[{"d":false,"who":["ACME ann","ACME bob","ACME bob"],"n":1},{"d":true,"who":[],"n":0}]]
