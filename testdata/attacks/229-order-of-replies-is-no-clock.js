// Replies come in call order, however long each took: a race tells nothing.
const first = await Promise.race([tasks.join(tasks.as('a'), (x) => x.task.id.gt(0)).join(tasks.as('b'), (x) => x.task.id.gt(0)).count().then(() => 'slow'), box.put(1).then(() => 'fast')]);
return first;
//=> "slow"
---
// twin: raw
const slow = (async () => { for (let i = 0; i < 5; i++) await null; return 'slow'; })();
return await Promise.race([slow, Promise.resolve('fast')]);
//=> "fast"
