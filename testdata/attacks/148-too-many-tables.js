let q = tasks;
for (let i = 0; i < 70; i++) q = q.join(({ task }) => task.project().as('p' + i));
return await q.count();
//! limit "too many tables"
---
// twin: default
let q = tasks;
for (let i = 0; i < 20; i++) q = q.join(({ task }) => task.project().as('p' + i));
return await q.count();
//=> 5
