throw box;
//! program ""
---
// twin: raw
try { throw api.store; } catch (e) { return e.Secret; }
//=> "HIDDEN"
