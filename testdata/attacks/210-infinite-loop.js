// limits: Wall=100ms
for (;;) {}
//! limit "ran longer than 100ms"
---
// twin: default
for (let i = 0; i < 1e5; i++) {}
return 1;
//=> 1
