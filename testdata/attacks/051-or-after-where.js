return (await tasks.where((t) => t.id === 1001 || t.id > 0).execute()).length;
//=> 5
---
// twin: open
//=> 8
