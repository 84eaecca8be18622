// A pattern that Go's engine can't run would go to one without a time limit.
return /^(?:(a+)+)$(?!x)/.test('a'.repeat(40) + 'b');
//! syntax "regular expression"
---
// twin: raw
return /^(?:(a+)+)$/.test('a'.repeat(25) + 'b');
//=> false
