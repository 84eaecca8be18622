// A foreign row can't be told from none, in any way of asking.
const ask = async (id) => [await tasks.where({ id }).first(), await tasks.where({ id }).count(), await tasks.where((t) => t.id.in([id])).execute(), await org.projects().tasks().where((t) => t.id === id).count()];
return JSON.stringify(await ask(2001)) === JSON.stringify(await ask(9999)) && (await ask(1001))[1] === 1;
//=> true
---
// twin: open
//=> false
