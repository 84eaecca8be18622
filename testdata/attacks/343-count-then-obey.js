// One bit of what outsiders wrote is shown by a count.
// world: office
// wants: "task 2 mallory"
return tasks.where(t => t.remark.includes('mallory')).count();
// next
return tasks.where({ id: 2 }).update({ owner: 'mallory' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
