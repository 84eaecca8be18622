// map passes (x, index, array): an argument too many is refused, not dropped.
return await [1].map(tasks.limit.bind(tasks))[0].execute();
//! invalid "takes one number"
---
// twin: raw
return [1].map((...all) => all.length);
//=> [3]
