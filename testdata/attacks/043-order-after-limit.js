// Another order does not bring other rows in.
return (await top.orderBy((t) => t.priority.asc()).limit(2).execute()).map((t) => t.id);
//=> [1002,1004]
---
// twin: open
//=> [2090,1002]
