// A sealed address that nobody looked at goes into no column that does not admit it.
// world: office
// wants: "person 2 ann@a.example"
const ann = await people.where({ id: 1 }).first();
return people.where({ id: 2 }).update({ title: ann.email });
//~> "admits: [pii]"
---
// twin: unlabelled
//~> "\"result\":1"
