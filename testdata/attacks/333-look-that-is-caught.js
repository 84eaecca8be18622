// A look at what outsiders wrote counts wherever it is: in a template, an error that is caught, a getter, or what JSON makes of a row.
// world: office
// wants: "task 2 mallory"
const t = await tasks.where({ id: 1 }).first();
let seen = '';
try { throw new Error(t.remark) } catch (e) { seen = e.message }
const o = { get x() { return JSON.stringify(t) } };
return tasks.where({ id: 2 }).update({ owner: `${o.x}${seen}`.includes('mallory') ? 'mallory' : 'ann' });
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
