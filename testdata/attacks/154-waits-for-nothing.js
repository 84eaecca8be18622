await new Promise(() => {});
//! program "a promise that never ends"
---
// twin: raw
await new Promise(() => {});
//! program "pending"
