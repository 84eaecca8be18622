tasks = org;
return 1;
//! syntax ""
---
// twin: raw
api = 'replaced';
return api;
//=> "replaced"
