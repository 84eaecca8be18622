// limits: LiteralBytes=1000
try { await box.put('x'.repeat(2000)); } catch (e) { return 'went on'; }
//! limit "1000"
---
// twin: default
return (await box.put('x'.repeat(2000))).length;
//=> 2000
