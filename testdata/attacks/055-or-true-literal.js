return await tasks.where((t) => t.done.eq(false).or(true)).count();
//=> 5
---
// twin: open
//=> 8
