// Aggregates and groups tell of the rows in scope only: not by their values, their number, or what is in
// a group. A group ends with its callback.
let kept;
const late = async () => { await tasks.groupBy(t => t.status).select(g => (kept = g, { s: g.status })); return tasks.select(t => ({ n: kept.count() })); };
return [await tasks.max(t => t.title), await tasks.where(t => t.id === 2001).sum(t => t.priority), await tasks.countDistinct(t => t.id),
	await tasks.join(({ task }) => task.assignee()).groupBy(({ member }) => member.name).select(g => ({ name: g.name, n: g.count(), last: g.max(({ task }) => task.id) })),
	(await tasks.groupBy(t => t.id).where(g => g.id > 2000 || g.max(t => t.title).startsWith('BOLT'))).length,
	await late().catch(e => e.message)];
//=> ["ACME test",null,5,[{"name":"ACME ann","n":1,"last":1001},{"name":"ACME bob","n":2,"last":1004}],0,"group: this value belongs to a callback that has already returned; use it only inside that callback"]
---
// twin: open
//~> "BOLT survey"
