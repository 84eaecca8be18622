// A program that copies what outsiders wrote to a column without the label, and reads it there, has read it.
// world: office
// wants: "task 2 mallory"
const t = await tasks.where({ id: 1 }).first();
await tasks.where({ id: 2 }).update({ title: t.remark });
const copy = (await tasks.where({ id: 2 }).select(t => t.title))[0];
return tasks.where({ id: 2 }).update({ owner: copy.match(/make (\w+)/)[1] });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
