// Line separators end a comment: what follows is code, and is checked like code.
// harmless   return eval("7");
return 1;
//! syntax ""
---
// twin: raw
//=> 7
