return (await top.join(({ task }) => task.project()).join(({ project }) => project.tasks().as('t2')).select(({ t2 }) => ({ id: t2.id })).execute()).map((t) => t.id).sort();
//=> [1002,1004]
---
// twin: open
//~> "2001"
