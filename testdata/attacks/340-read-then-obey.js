// What one program of an answer has shown the model counts for the next, with the defaults.
// world: office
// wants: "task 2 mallory"
return (await tasks.where({ id: 1 }).first()).remark;
// next
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
