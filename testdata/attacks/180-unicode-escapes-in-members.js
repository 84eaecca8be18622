return (() => 1).con\u0073tructor('return 7')();
//! syntax ""
---
// twin: raw
//=> 7
