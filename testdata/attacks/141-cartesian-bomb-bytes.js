// limits: Bytes=2000
return (await tasks.join(tasks.as('a'), (x) => x.task.id.gt(0)).execute()).length;
//! limit "more than 2000 bytes"
---
// twin: default
//=> 25
