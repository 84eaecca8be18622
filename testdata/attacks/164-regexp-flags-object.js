// A source that changes between two readings: what is used is what was checked.
let n = 0;
const evil = { toString() { n++; return n > 1 ? '(a)\\1' : 'a'; } };
try { return [new RegExp(evil).source, n]; } catch (e) { return e.kind; }
//=> ["a",1]
---
// twin: raw
let n = 0;
const evil = { toString() { n++; return n > 1 ? '(a)\\1' : 'a'; } };
const checked = String(evil);
return new RegExp(evil).source;
//=> "(a)\\1"
