// No program gives a measure another meaning: not a key of a group of its name, nor an assignment, nor what a selection calls something.
let out = [];
for (const f of [() => { tasks.finished = () => 99; }, () => tasks.groupBy(t => ({ finished: t.id })).select(g => ({ n: g.finished() })), () => Object.assign(tasks, { finished: () => 99 })]) {
	try { out.push(await f()); } catch (e) { out.push(e.kind); }
}
return [...out, await tasks.select(t => ({ finished: t.id })).finished() === await tasks.finished(), await tasks.where(t => t.done).count() === await tasks.finished()];
//=> ["invalid","invalid","invalid",true,true]
---
// twin: default
const o = { finished: () => 1 };
o.finished = () => 99;
return [o.finished(), (await tasks.groupBy(t => ({ key: t.done })).select(g => ({ n: g.finished(), k: g.key }))).length];
//=> [99,2]
