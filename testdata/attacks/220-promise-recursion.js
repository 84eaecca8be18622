// limits: Wall=150ms
const f = () => Promise.resolve().then(f);
await f();
//! limit "ran longer than 150ms"
---
// twin: default
let n = 0; const f = () => n++ < 100 ? Promise.resolve().then(f) : n;
return await f();
//=> 101
