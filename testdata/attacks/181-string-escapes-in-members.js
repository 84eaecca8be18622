const f = (() => 1)['\x63onstructor'];
return typeof f;
//! syntax ""
---
// twin: raw
//=> "function"
