// toJSON of the program is not called; what was sent is what it looks like.
let called = 0;
try { return [await box.put({ a: 1, toJSON() { called++; return { a: 2 }; } }), called]; } catch (e) { return [e.kind, called]; }
//=> ["invalid",0]
---
// twin: raw
return JSON.stringify({ a: 1, toJSON() { return { a: 2 }; } });
//=> "{\"a\":2}"
