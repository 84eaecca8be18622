// Where a comment ends must be the same for every reader of the text.
/* */ const x = 1; /*/ */ const y = 2; /**/
<!-- const z = 3;
return [x, y];
//! syntax ""
---
// twin: raw
return 1 /*/ */ + 1;
//=> 2
