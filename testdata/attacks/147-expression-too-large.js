// Sharing nodes doubles the tree with each step.
// limits: MessageNodes=500
return await tasks.where((t) => { let c = t.id.gt(0); for (let i = 0; i < 30; i++) c = c.and(c); return c; }).count();
//! limit "more than 500 names, calls and values"
---
// twin: default
return await tasks.where((t) => { let c = t.id.gt(0); for (let i = 0; i < 7; i++) c = c.and(c); return c; }).count();
//=> 5
