// Nor into a column that demands trust, by a value or by what a statement makes of another column.
// world: office
// wants: "task 2 make mallory"
const t = await tasks.where({ id: 1 }).first();
return tasks.where({ id: 2 }).update({ owner: t.remark });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
