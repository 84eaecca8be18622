// people has no links; those of members are not its own.
return await people.assignedTasks().execute();
//! denied "no member `assignedTasks`"
---
// twin: open
return await org.members().assignedTasks().execute();
//~> "BOLT survey"
