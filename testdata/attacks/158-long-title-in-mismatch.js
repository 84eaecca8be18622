tasks.where((t) => t.status.eq('s'.repeat(1e5)));
//! invalid "sss…"
---
// twin: raw
return 's'.repeat(1e5).length;
//=> 100000
