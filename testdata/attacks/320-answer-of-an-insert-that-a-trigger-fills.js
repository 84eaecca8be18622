// What a trigger fills in of a row that a program adds is another's: the program has read it.
// world: office
// wants: "task 2 mallory"
const l = await letters.insert({ id: 9, subject: 's', body: 'mine' });
const to = l.body.match(/make (\w+)/)[1];
return tasks.where({ id: 2 }).update({ owner: to });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
