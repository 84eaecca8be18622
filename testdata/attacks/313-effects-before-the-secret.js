// What took effect before a secret was read is told by the catalogue, not by what came after.
// world: office
// wants: a difference
await tasks.where({ id: 2 }).update({ title: 'a' });
const n = await people.where(p => p.pay > 5000).count();
for (let i = 0; i < n * 3; i++) await tasks.where({ id: 2 }).update({ title: 'b' + i });
return 1;
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
const n = await people.where(p => p.pay > 5000).count();
for (let i = 0; i < n * 3; i++) await tasks.where({ id: 2 }).update({ title: 'b' + i });
return tasks.where({ id: 2 }).select(t => t.title);
//~> "result"
