// members x projects x tasks, again and again: the limit on rows ends it.
// limits: Rows=100
let q = tasks;
for (const n of ['a', 'b', 'c', 'd', 'e']) q = q.join(tasks.as(n), (x) => x.task.id.gt(0));
return (await q.execute()).length;
//! limit "more than 100 rows"
---
// twin: default
//=> 15625
