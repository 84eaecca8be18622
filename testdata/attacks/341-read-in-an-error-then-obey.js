// An error that says what outsiders wrote is shown as well.
// world: office
// wants: "task 2 mallory"
throw new Error((await tasks.where({ id: 1 }).first()).remark);
// next
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
