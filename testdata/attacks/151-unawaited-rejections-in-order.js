// The first one is told, not any of them.
for (const n of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']) Promise.reject(new Error(n));
return 1;
//! program "failed: first"
---
// twin: raw
return Promise.allSettled([Promise.reject(1)]).then((x) => x[0].status);
//=> "rejected"
