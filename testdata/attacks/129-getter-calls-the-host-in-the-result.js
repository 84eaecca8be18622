// A getter of the result, run when the program is over, sends another call: it
// is answered before the run ends, so what it does is never half done.
return { get a() { box.fail(); return 1; } };
//! internal "a promise that was not awaited failed"
---
// twin: raw
let called = 0;
const o = { get a() { called++; return 1; } };
JSON.stringify(o);
return called;
//=> 1
