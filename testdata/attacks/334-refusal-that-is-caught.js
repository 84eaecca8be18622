// A program that catches the refusal is refused again, by another way to the same column.
// world: office
// wants: "task 2 mallory"
await tasks.first();
for (const f of [() => tasks.where({ id: 2 }).update({ owner: 'mallory' }), () => tasks.insert({ id: 3, title: 'c', owner: 'mallory' }), () => tasks.ifUnchanged({ id: 2, title: 'read' }).update({ owner: 'mallory' })])
	try { await f() } catch {}
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
