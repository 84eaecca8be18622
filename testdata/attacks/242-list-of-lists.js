// A list that holds itself many times over is looked through within a budget.
let a = 1;
for (let i = 0; i < 6; i++) a = Array(2000).fill(a);
return await tasks.where((t) => t.id.in(a)).count();
//! limit "items and fields"
---
// twin: default
return await tasks.where((t) => t.id.in([1001])).count();
//=> 1
