return (() => {}).constructor('return 7')();
//! syntax ""
---
// twin: raw
//=> 7
