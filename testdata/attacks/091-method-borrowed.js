// A method keeps its receiver: call, apply and bind change nothing.
const rows = await people.execute.call(org);
return Object.keys(rows[0]);
//=> ["id","name"]
---
// twin: raw
const f = function () { return Object.keys(this); };
return f.call({ reached: 1 });
//=> ["reached"]
