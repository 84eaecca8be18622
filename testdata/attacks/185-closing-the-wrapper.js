// A program that closes the function it is put into, and opens another.
}); evil(); (async (api) => {
//! syntax ""
---
// twin: raw
return 'in'; })(1); (async () => { return 'out';
//=> "out"
