// A result is cut by whoever shows it; what is too large to be converted is a limit.
const s = 'x'.repeat(1 << 20);
return Array.from({ length: 40 }, () => s);
//! limit "larger than"
---
// twin: default
const s = 'x'.repeat(1 << 10);
return Array.from({ length: 40 }, () => s).join('').length;
//=> 40960
