// What a program has read of an address goes into a column that admits it, and not into one beside it in the same write.
// world: office
// wants: "person 2 x"
return people.where(p => p.email === 'bob@b.example').update({ note: 'x', title: 'x' })
//~> "admits: [pii]"
---
// twin: unlabelled
//~> "\"result\":1"
