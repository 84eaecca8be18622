// Each run has a world of its own; see the next program of TestAttacks, and this
// one, which finds nothing of what the one before it did.
const ArrayProto = Object.getPrototypeOf([]);
const before = [typeof [].mark, typeof console.mark, typeof Math.mark];
ArrayProto.mark = console.mark = Math.mark = 1;
return before;
//=> ["undefined","undefined","undefined"]
---
// twin: raw
Array.prototype.mark = 1;
return typeof [].mark;
//=> "number"
