// A table that everybody shares is no bridge: tag -> tasks of the other tenant.
return (await tasks.taskTags().tag().taskTags().task().orderBy((t) => t.id).execute()).map((t) => t.id);
//=> [1001,1002]
---
// twin: open
//=> [1001,1002,2001,2002]
