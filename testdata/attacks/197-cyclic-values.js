const a = []; a.push(a); const o = { o: null }; o.o = o;
const kinds = [];
for (const x of [a, o]) { try { await box.put(x); } catch (e) { kinds.push(e.kind); } }
console.log(a, o);
return kinds;
//=> ["invalid","invalid"]
---
// twin: raw
const a = []; a.push(a);
return JSON.stringify(a);
//! program ""
