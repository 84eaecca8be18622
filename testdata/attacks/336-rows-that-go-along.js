// A cascade that the host allowed takes no rows with a trusted column along for a program that has read what outsiders wrote.
// world: office
// wants: "tasks: 1"
await letters.first();
return people.where({ id: 2 }).delete();
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
