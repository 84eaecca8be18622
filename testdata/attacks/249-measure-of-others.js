// A measure is of rows in scope alone, by whatever way they are reached: a shared tag, the rows of another grant, a limit of the host's.
return [await tasks.finished(), await tasks.taskTags().tag().taskTags().task().finished(), await tasks.where(t => t.id > 2000).finished(),
	await org.members().orderBy(m => m.id).select(m => m.assignedTasks().finished()), await top.finished(), await top.project().tasks().finished(),
	await tasks.groupBy(t => t.done).select(g => g.finished())];
//=> [1,0,0,[0,0],0,0,[0,1]]
---
// twin: open
//=> [2,1,1,[0,0,0,1],2,2,[0,2]]
