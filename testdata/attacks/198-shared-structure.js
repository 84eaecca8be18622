// 24 doublings of a shared object: 300 MB as a tree.
let x = ['leaf'];
for (let i = 0; i < 24; i++) x = [x, x];
return x;
//! limit "items and fields"
---
// twin: raw
let x = ['leaf'];
for (let i = 0; i < 10; i++) x = [x, x];
return JSON.stringify(x).length;
//=> 11261
