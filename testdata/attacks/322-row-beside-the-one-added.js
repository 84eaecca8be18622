// By the key of a row that it added a program reads another one, and has read it.
// world: office
// wants: "task 2 mallory"
const t = await tasks.insert({ id: 3, title: 'c', remark: 'mine' });
const o = await tasks.where({ id: t.id - 2 }).select(t => t.remark);
return tasks.where({ id: 2 }).update({ owner: o[0].match(/make (\w+)/)[1] });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
