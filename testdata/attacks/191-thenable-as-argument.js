let ran = 0;
try { await box.put({ then(r) { ran++; r(1); } }); } catch (e) { return [e.kind, ran]; }
//=> ["invalid",0]
---
// twin: raw
let ran = 0;
await api.same({ then(r) { ran++; r(1); } });
return ran;
//=> 1
