// So is the console.
// world: office
// wants: "task 2 mallory"
console.log(await tasks.where({ id: 1 }).first());
// next
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
