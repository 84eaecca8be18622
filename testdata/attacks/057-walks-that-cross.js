// Foreign keys that cross tenants lead nowhere.
return await Promise.all([
  tasks.assignee().count(), org.members().assignedTasks().count(), org.members().comments().count(),
  org.members().leads().count(), org.projects().lead().count(), tasks.comments().author().count(),
  tasks.taskTags().tag().taskTags().task().count(),
]);
//=> [2,3,3,1,1,2,2]
---
// twin: open
//~> "[4,7,6"
