// What the next program of a chat is told does not depend on what a withheld one read.
// world: office
// wants: a difference
if (await people.where(p => p.pay > 5000).count()) await tasks.first();
return 1;
// next
return tasks.where({ id: 2 }).update({ owner: 'bob' });
//~> "result"
---
// twin: unlabelled
return (await people.where(p => p.pay > 5000).count());
// next
return tasks.where({ id: 2 }).update({ owner: 'bob' });
//~> "\"result\":1"
