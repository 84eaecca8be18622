// limits: Wall=100ms
return { get a() { for (;;) {} } };
//! limit "ran longer than 100ms"
---
// twin: default
return { get a() { return 1; } };
//=> {"a":1}
