// One value of all rows of a query.
return [await tasks.sum(t => t.priority), await tasks.avg(t => t.priority), await tasks.min(t => t.priority), await tasks.max(t => t.title), await tasks.countDistinct(t => t.status)]
//=> [16,3.2,1,"ACME test",3]
---
// Of no rows there is no value, and none are counted.
const none = tasks.where(t => t.id < 0);
return [await none.sum(t => t.priority), await none.avg(t => t.priority), await none.min(t => t.dueAt), await none.countDistinct(t => t.title)]
//=> [null,null,null,0]
---
// Null is no value: of four due dates the least and the greatest, and how many differ.
return [await tasks.min(t => t.dueAt), await tasks.max(t => t.dueAt), await tasks.countDistinct(t => t.dueAt), await org.projects().sum(p => p.budget), await org.projects().avg(p => p.budget)]
//=> ["2025-12-31T23:59:59.999Z","2026-06-01T00:00:00.000Z",3,1007.5,503.75]
---
// A calculation.
return [await tasks.sum(t => t.priority * 2 + 1), await tasks.max(t => t.priority - 10), await tasks.sum(t => t.done ? 1 : 0), await tasks.avg(t => t.priority / 3)]
//=> [37,-5,1,1.06666666666666666666]
---
// The median is the value in the middle, or the mean of the two there; of no rows there is none.
return [await tasks.median(t => t.priority), await tasks.where(t => t.priority < 5 && t.priority > 1).median(t => t.priority), await tasks.median(t => t.priority / 3), await org.projects().median(p => p.budget), await tasks.where(t => t.id < 0).median(t => t.priority)]
//=> [3,2.5,1,503.75,null]
---
return await tasks.groupBy(t => t.done).select(g => ({ m: g.median(t => t.priority), due: g.where(t => t.dueAt !== null).median(t => t.priority * 2), x: g.median(t => t.priority) + 1, none: g.where(t => t.id < 0).median(t => t.priority) })).orderBy(g => g.median(t => t.priority).desc()).where(g => g.median(t => t.priority) >= 1)
//=> [{"m":4,"due":8,"x":5,"none":null},{"m":1,"due":null,"x":2,"none":null}]
---
// countBy is groupBy with a count.
return [await tasks.countBy(t => t.status), await tasks.countBy(t => ({ year: t.dueAt.year(), done: t.done })).orderBy(g => g.count().desc()).orderBy(g => g.year).limit(2), await tasks.countBy(t => t.status).where(g => g.count() > 1).first(), await tasks.countBy(t => t.status).count(), await tasks.countBy(t => t.status).select(g => ({ ...g, top: g.max(t => t.priority) })).limit(1)]
//=> [[{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}],[{"year":2026,"done":false,"count":3},{"year":null,"done":true,"count":1}],{"status":"open","count":3},3,[{"status":"doing","top":5}]]
---
return tasks.countBy('status')  //=> [{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}]
---
return tasks.countBy(t => ({ count: t.status }))  //! invalid "is already a member of groups"
---
return tasks.select(t => ({ s: t.status })).countBy(t => t.status)  //=> [{"status":"doing","count":1},{"status":"done","count":1},{"status":"open","count":3}]
---
return await tasks.median(t => t.title)  //! invalid "a column of numbers"
---
// A limit comes first.
return [await tasks.orderBy(t => t.id).limit(2).sum(t => t.priority), await tasks.orderBy(t => t.id).offset(3).limit(5).sum(t => t.priority)]
//=> [8,7]
---
return await tasks.groupBy(t => t.status).select(g => ({ status: g.status, n: g.count(), sum: g.sum(t => t.priority) }))
//=> [{"status":"doing","n":1,"sum":5},{"status":"done","n":1,"sum":1},{"status":"open","n":3,"sum":10}]
---
// Without select a group shows its keys, in their order.
return await tasks.groupBy(t => ({ status: t.status, done: t.done }))
//=> [{"status":"doing","done":false},{"status":"done","done":true},{"status":"open","done":false}]
---
// The keys may be calculated, of several columns, and null.
return await tasks.groupBy(t => ({ year: t.dueAt.year(), high: t.priority > 2 })).select(({ group }) => ({ ...group, n: group.count() }))
//=> [{"year":null,"high":false,"n":1},{"year":2025,"high":true,"n":1},{"year":2026,"high":false,"n":1},{"year":2026,"high":true,"n":2}]
---
// A key is shown as what it is, whatever literal made it so, and whether it is named or not.
const made = tasks.groupBy(t => ({ k: t.done ? 1 : 0.5, p: t.priority ?? 0.5 }));
return [await made.where(g => g.p < 3), await made.where(g => g.p < 3).select(g => g), (await made.orderBy(g => g.k).first()).k]
//=> [[{"k":0.5,"p":2},{"k":1,"p":1}],[{"k":0.5,"p":2},{"k":1,"p":1}],0.5]
---
// where after groupBy is about groups, before it about rows.
return [await tasks.groupBy(t => t.status).where(g => g.count() > 1).select(g => ({ s: g.status })), await tasks.where(t => t.priority > 2).groupBy(t => t.status).where(g => g.sum(t => t.priority) >= 5 && g.status !== 'doing').select(g => ({ s: g.status, m: g.min(t => t.priority) }))]
//=> [[{"s":"open"}],[{"s":"open","m":3}]]
---
// Groups are sorted and cut as rows are.
const g = tasks.groupBy(t => t.status).orderBy(g => g.sum(t => t.priority).desc()).select(g => ({ s: g.status }));
return [await g.limit(2), await g.first(), await g.count(), await g.offset(1).limit(1), (await g.limit(2).where(g => g.count() === 1))]
//=> [[{"s":"open"},{"s":"doing"}],{"s":"open"},3,[{"s":"doing"}],[{"s":"doing"}]]
---
// An aggregate over some of the group's rows.
return await tasks.groupBy(t => t.done).select(g => ({ done: g.done, open: g.where(t => t.status === 'open').count(), due: g.where({ status: 'open' }).where(t => t.dueAt !== null && t.dueAt < '2026-02-01').sum(t => t.priority), none: g.where(t => t.id === 0).max(t => t.title) }))
//=> [{"done":false,"open":3,"due":8,"none":null},{"done":true,"open":0,"due":null,"none":null}]
---
// Over a join: each pair is a row.
return await tasks.join(({ task }) => task.project()).groupBy(({ project }) => project.name).select(g => ({ name: g.name, tasks: g.count(), top: g.max(({ task }) => task.priority), budget: g.min(({ project }) => project.budget) })).orderBy(g => g.name)
//=> [{"name":"ACME garden","tasks":2,"top":5,"budget":null},{"name":"ACME rocket","tasks":3,"top":5,"budget":1000.5}]
---
// What is calculated with aggregates.
return await tasks.groupBy(t => t.done).select(g => ({ done: g.done, mean: g.sum(t => t.priority) / g.count(), share: (g.count() * 100 / 5).round(), many: g.count() > 1 ? 'many' : 'one', label: g.max(t => t.title).upper() }))
//=> [{"done":false,"mean":3.75,"share":80,"many":"many","label":"ACME PLANT"},{"done":true,"mean":1,"share":20,"many":"one","label":"ACME TEST"}]
---
// Of a query that a link gives, and of one with a limit of the host.
return [await org.projects().tasks().sum(t => t.priority), await top.sum(t => t.priority), (await top.groupBy(t => t.done).select(g => ({ n: g.count() })))]
//=> [16,10,[{"n":2}]]
---
// groupBy has the words of a callback, and what it has not is said.
return tasks.groupBy('status').count()  //! invalid "for the number of rows of each write"
---
return tasks.groupBy(t => t)  //! invalid "must be a column"
---
return tasks.groupBy(t => ({ count: t.status }))  //! invalid "is already a member of groups"
---
return tasks.groupBy(t => ({ a: 1 }))  //! invalid "column"
---
return tasks.groupBy(t => t.status).select(g => ({ title: g.title }))  //! denied "has no member `title`"
---
return tasks.select(t => ({ status: t.title })).groupBy(t => t.status)  //! invalid "another name in select"
---
return await tasks.select(t => ({ s: t.status })).distinct().sum(t => t.priority)  //! invalid "after distinct only selected columns can be used"
---
return tasks.groupBy(t => t.status).groupBy(g => g.status).count()  //=> 3
---
return tasks.groupBy(t => t.status).join(tasks, ({ group, task }) => group.status === task.status)  //! invalid "can't be joined"
---
return org.projects().join(({ project }) => project.tasks().groupBy(t => t.status))  //! invalid "can't be used in a callback"
---
return tasks.groupBy(t => t.status).select(g => ({ x: g.sum(t => t.priority * g.count()) }))  //! invalid "callback about its rows"
---
return await tasks.sum(t => t.title)  //! invalid "a column of numbers"
---
return await tasks.sum('priority')  //=> 16
---
return await tasks.max(t => t.done)  //! invalid "numbers, texts, times or days"
---
// A list of columns names each. What is calculated is called by its part of a time, else key, which any single key is called too.
return [await tasks.countBy(t => [t.status, t.done]), await tasks.groupBy(t => t.dueAt.year()).select(g => ({ year: g.key, n: g.count() })), await tasks.countBy(t => t.priority > 2), await tasks.countBy(t => t.priority > 2 ? 'high' : 'low')]
//=> [[{"status":"doing","done":false,"count":1},{"status":"done","done":true,"count":1},{"status":"open","done":false,"count":3}],[{"year":null,"n":1},{"year":2025,"n":1},{"year":2026,"n":3}],[{"key":false,"count":2},{"key":true,"count":3}],[{"key":"high","count":3},{"key":"low","count":2}]]
---
return await tasks.groupBy(t => [t.status, t.dueAt.year()])  //=> [{"status":"doing","year":2026},{"status":"done","year":null},{"status":"open","year":2025},{"status":"open","year":2026}]
---
return tasks.join(({ task }) => task.project()).groupBy(({ task, project }) => [task.id, project.id])  //! invalid "would both be called `id`: name them"
---
// A list has the values of a group, in the order of the query and then of the rows' keys. Null is none.
const by = q => q.groupBy(t => t.done).select(g => ({ done: g.done, titles: g.collect(t => t.title), due: g.collect(t => t.dueAt), high: g.where(t => t.priority > 2).collect(t => t.priority), none: g.where(t => t.id < 0).collect(t => t.id), more: g.collect(t => t.priority / 4), is: g.collect(t => t.done) }));
return [await by(tasks), await by(tasks.orderBy(t => t.title.desc())).limit(1)]
//=> [[{"done":false,"titles":["ACME draw","ACME build","ACME plant","ACME helped from outside"],"due":["2026-01-02T03:04:05.000Z","2026-01-02T03:04:05.000Z","2025-12-31T23:59:59.999Z","2026-06-01T00:00:00.000Z"],"high":[3,5,5],"none":[],"more":[0.75,1.25,1.25,0.5],"is":[false,false,false,false]},{"done":true,"titles":["ACME test"],"due":[],"high":[],"none":[],"more":[0.25],"is":[true]}],[{"done":false,"titles":["ACME plant","ACME helped from outside","ACME draw","ACME build"],"due":["2025-12-31T23:59:59.999Z","2026-06-01T00:00:00.000Z","2026-01-02T03:04:05.000Z","2026-01-02T03:04:05.000Z"],"high":[5,3,5],"none":[],"more":[1.25,0.5,0.75,1.25],"is":[false,false,false,false]}]]
---
const groups = await tasks.join(({ task }) => task.project()).groupBy(({ project }) => project.name).where(g => g.count() > 1).select(g => ({ name: g.name, budgets: g.collect(({ project }) => project.budget), titles: g.collect(({ task }) => task.title + '!'), n: g.count() })).orderBy(g => g.count().desc());
return groups.map(g => g.name + ': ' + g.titles.join(', ') + ' ' + g.budgets.length)
//=> ["ACME rocket: ACME draw!, ACME build!, ACME test! 3","ACME garden: ACME plant!, ACME helped from outside! 0"]
---
return tasks.groupBy(t => t.done).where(g => g.collect(t => t.title) !== null)  //! invalid "can only be shown"
---
return tasks.groupBy(t => t.done).orderBy(g => g.collect(t => t.title))  //! invalid "a column, or an order"
---
return tasks.groupBy(t => t.done).select(g => ({ a: g.collect(t => t.title).join(', ') }))  //! denied "go on with the rows"
---
return tasks.groupBy(t => t.done).select(g => ({ a: g.collect(t => 1) }))  //! invalid "a column"
---
// One column under two names is one key.
return await tasks.groupBy(t => ({ a: t.status, b: t.status })).select(g => ({ ...g, n: g.count() }))
//=> [{"a":"doing","b":"doing","n":1},{"a":"done","b":"done","n":1},{"a":"open","b":"open","n":3}]
---
return (await tasks.groupBy(t => t.id > 0).select(g => ({ l: g.collect(t => t.id < 0 ? t.id : 1e21) })))[0].l.every(x => x === 1e21)  //=> true
---
return tasks.groupBy(t => t.id > 0).select(g => ({ l: g.collect(t => t.id < 0 ? t.id : 9007199254740993) }))  //! invalid "may have rounded"
