tasks['n'.repeat(1e6)];
//! denied "nnn…"
---
// twin: raw
return 'n'.repeat(1e6).length;
//=> 1000000
