// A trigger may change what is trusted: one that the host permits acts for no program that has read what outsiders wrote, unless the host permits that too.
// world: office
// wants: "task 2 mallory"
await tasks.first();
return tasks.where({ id: 2 }).update({ done: 7 });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
