// Microtasks starved every timer of exoagent's host.
// limits: Wall=150ms
const spin = async () => { for (;;) await null; };
await spin();
//! limit "ran longer than 150ms"
---
// twin: default
let n = 0;
const spin = async () => { while (n < 1000) { n++; await null; } };
await spin();
return n;
//=> 1000
