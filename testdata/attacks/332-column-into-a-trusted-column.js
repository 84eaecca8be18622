// A statement copies no untrusted column into a trusted one.
// world: office
// wants: "task 1 make mallory"
return tasks.where({ id: 1 }).update(t => ({ owner: t.remark }))
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
