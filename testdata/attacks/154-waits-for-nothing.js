await new Promise(() => {});
//! program "nothing will ever settle"
---
// twin: raw
await new Promise(() => {});
//! program "pending"
