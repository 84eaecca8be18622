return await import('fs');
//! syntax "no modules"
---
// twin: raw
return typeof api.file;
//=> "string"
