// An argument is copied when the call is made.
const a = { n: 1, list: [1] };
const p = box.put(a);
a.n = 2; a.list.push(2); a.more = 1;
return await p;
//=> {"n":1,"list":[1]}
---
// twin: raw
const late = async (x) => { await null; return x.n; };
const a = { n: 1 }; const p = late(a); a.n = 2;
return p;
//=> 2
