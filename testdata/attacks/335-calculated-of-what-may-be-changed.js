// A trusted column that the database calculates is not changed by what it is made of.
// world: office
// wants: "person 2  eve"
await tasks.first();
return people.where({ id: 2 }).update({ name: 'Eve' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
