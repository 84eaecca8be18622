// A promise chain that goes on after the result was returned.
const later = box.put(1).then(() => box.put(2)).then(() => box.put(3));
return 'returned';
//! invalid "box.put(…).then(…).then(…) was not awaited, and still ran when the program had its result; write await before it"
---
// twin: default
const later = box.put(1).then(() => box.put(2)).then(() => box.put(3));
return await later;
//=> 3
---
// twin: raw
let n = 0; Promise.resolve().then(() => n++);
await null; await null;
return n;
//=> 1
