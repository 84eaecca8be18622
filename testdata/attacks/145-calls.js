// limits: Calls=10
for (let i = 0; i < 20; i++) { try { await box.put(i); } catch (e) {} }
return 'done';
//! limit "the limit is 10"
---
// twin: default
//=> "done"
