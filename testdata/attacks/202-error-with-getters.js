// The host reads a thrown object's message and stack: getters of the program.
let n = 0;
throw { get message() { n++; return n === 1 ? 'once' : 'HID' + 'DEN'; }, get name() { throw 'x'; }, get stack() { for (;;) {} } };
// limits: Wall=300ms
//! program ""
---
// twin: raw
let n = 0;
const e = { get message() { n++; return n; } };
return [e.message, e.message];
//=> [1,2]
