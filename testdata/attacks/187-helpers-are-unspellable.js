// The helpers of the rewritten operators have names that no program can write or find.
let reached = "nothing"; try { reached = typeof api["\u0000op"]; } catch (e) { reached = e.kind; }
return [Object.keys(api), reached];
//=> [["box","org","people","tasks","top"],"denied"]
---
// twin: raw
return 'store' in api;
//=> true
