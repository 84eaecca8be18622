// The wider grant is one's own; the limit of the other still holds for its rows.
return (await tasks.join(top.as('t2'), ({ task, t2 }) => task.id === t2.id).select(({ t2 }) => ({ id: t2.id })).execute()).map((t) => t.id).sort();
//=> [1002,1004]
---
// twin: open
//~> "2001"
