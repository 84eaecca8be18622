// The key columns that links use are no members.
return await tasks.where((t) => t.projectId.eq(201)).count();
//! denied "no member `projectId`"
---
// twin: open
//=> 3
