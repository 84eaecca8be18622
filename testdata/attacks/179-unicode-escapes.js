// An escaped name is the same name.
return \u0065val('7');
//! syntax ""
---
// twin: raw
//=> 7
