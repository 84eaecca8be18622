return (0, eval)('7');
//! syntax ""
---
// twin: raw
//=> 7
