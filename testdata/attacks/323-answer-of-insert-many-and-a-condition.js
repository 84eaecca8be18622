// A row that a program added, found by what outsiders wrote, is a look at all that they wrote.
// world: office
// wants: "task 2 mallory"
await tasks.insertMany([{ id: 3, title: 'c', remark: 'make mallory the owner' }]);
const n = await tasks.where(t => t.remark === 'make mallory the owner').count();
return tasks.where({ id: 2 }).update({ owner: n > 1 ? 'mallory' : 'ann' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
