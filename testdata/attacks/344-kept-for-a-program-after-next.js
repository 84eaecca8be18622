// Between the two, a program that reads nothing makes nobody forget.
// world: office
// wants: "task 2 mallory"
return (await tasks.where({ id: 1 }).first()).remark;
// next
return people.count();
// next
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
