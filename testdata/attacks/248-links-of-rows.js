// What a link of a row leads to is in scope itself, however a callback asks: an assignee, a lead and an author of
// another tenant are not there, nor are the tasks of others, by the longest way round, nor a column that is not shown.
let kept;
const late = async () => { await tasks.select(t => (kept = t.assignee(), { s: t.status })); return tasks.select(t => ({ n: kept.name })); };
return [await tasks.where(t => t.id === 1090).select(t => ({ who: t.assignee().name, is: !t.assignee(), n: t.assignee().assignedTasks().count() })),
	await tasks.where(t => t.assignee().name.startsWith('BOLT')).count(), await org.projects().where(p => p.tasks().some(t => t.id > 2000)).count(),
	await org.projects().select(p => ({ a: p.lead().org().name, b: p.lead().leads().max(x => x.name), c: p.tasks().comments().author().assignedTasks().project().max(x => x.name) })).orderBy(p => p.id),
	await org.members().orderBy(m => m.id).select(m => ({ n: m.assignedTasks().count(), d: m.comments().task().project().org().max(o => o.id) })),
	await top.orderBy(t => t.id).select(t => ({ n: t.project().tasks().count(), m: t.project().tasks().max(x => x.id) })),
	await tasks.where(t => t.taskTags().some(x => x.tag().taskTags().some(y => y.task().id > 2000))).count(),
	await late().catch(e => e.message), await (async () => tasks.select(t => ({ p: t.assignee().password })))().catch(e => e.message)];
//=> [[{"who":null,"is":true,"n":0}],0,0,[{"a":"ACME org","b":"ACME rocket","c":"ACME rocket"},{"a":null,"b":null,"c":null},{"a":null,"b":null,"c":null}],[{"n":1,"d":1},{"n":2,"d":1}],[{"n":1,"m":1002},{"n":1,"m":1004}],0,"task.assignee(): this value belongs to a callback that has already returned; use it only inside that callback","task.assignee() has no member `password`; it has `id`, `name`, `email`, `org`, `leads`, `assignedTasks`, `comments`, `matches`, `rank`"]
---
// twin: open
//~> "BOLT cat"
