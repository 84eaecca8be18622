// limits: Calls=10
for (let i = 0; i < 20; i++) { try { await box.put(i); } catch (e) {} }
return 'done';
//! limit "may make at most 10"
---
// twin: default
//=> "done"
