throw box;
//! program "a value without a text"
---
// twin: raw
try { throw api.store; } catch (e) { return e.Secret; }
//=> "HIDDEN"
