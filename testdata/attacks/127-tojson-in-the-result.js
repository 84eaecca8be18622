let called = 0;
const o = { a: 1, toJSON() { called++; throw new Error('ran in the host'); } };
return [o, called];
//=> [{"a":1},0]
---
// twin: raw
return { a: 1, toJSON() { return 'ran in the host'; } };
//=> "ran in the host"
