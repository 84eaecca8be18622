const huge = []; huge.length = 4294967295;
return huge;
//! limit "4294967295 items"
---
// twin: raw
const a = []; a.length = 10; return a;
//=> [null,null,null,null,null,null,null,null,null,null]
