// limits: Wall=100ms
await tasks.where((t) => { for (;;) {} });
//! limit "ran longer than 100ms"
---
// twin: default
return await tasks.where((t) => { for (let i = 0; i < 10; i++); return t.id.gt(0); }).count();
//=> 5
