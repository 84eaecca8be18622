// Recursion through built-ins ignored the interrupt until the Go stack ended the process.
const f = () => [1].map(f);
const g = { toString() { return `${g}`; } };
return f();
//! limit "too deeply"
---
// twin: default
let n = 0; const f = () => n++ < 50 ? [1].map(f) : n;
f(); return n;
//=> 51
