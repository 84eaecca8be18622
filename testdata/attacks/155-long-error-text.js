// exoagent: an error message of 50 MB.
throw new Error('x'.repeat(5e6));
//! program "xxxx"
---
// twin: raw
try { throw new Error('x'.repeat(5e6)); } catch (e) { return e.message.length; }
//=> 5000000
