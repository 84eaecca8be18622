// An object that shows one thing to the check and another to the engine.
let n = 0;
const p = { get [Symbol.match]() { return n++ ? undefined : () => 'mine' }, toString() { return 'a(?=b)' } };
const first = 'aab'.match(p);
try { 'aab'.match(p); return 'passed'; } catch (e) { return [first, e.message.includes('lookahead')]; }
//=> ["mine",true]
---
// twin: raw
return 'aab'.match({ toString() { return 'a(?=b)' } })[0];
//=> "a"
