// A program that was ended does not go on in finally, in a callback, in a handler.
// limits: Calls=2
const late = [];
try { await box.put(1); await box.put(2); await box.put(3); } catch (e) { late.push('caught'); } finally { late.push('finally'); console.log('went on'); }
return late;
//! limit "too many calls"
---
// twin: default
//=> ["finally"]
