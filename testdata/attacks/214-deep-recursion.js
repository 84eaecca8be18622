const f = (n) => f(n + 1) + 1;
return f(0);
//! limit "too deeply"
---
// twin: default
const f = (n) => n === 0 ? 0 : f(n - 1) + 1;
return f(100);
//=> 100
