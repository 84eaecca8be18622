// Names that the language looks up by itself lead nowhere from a capability.
const out = [];
for (const n of ['__proto__', 'constructor', 'prototype', '__defineGetter__', '__lookupGetter__', 'caller', 'callee', 'arguments', 'hasOwnProperty', 'isPrototypeOf', 'valueOf', 'db', 'node', 'r', 'self', 'Describe', 'Eval']) {
  for (const x of [tasks, box, org]) { let v; try { v = x[n]; } catch (e) { v = undefined; } if (v !== undefined && typeof v !== 'function') out.push(n); if (typeof v === 'function') { try { v.call(x); out.push('called ' + n); } catch (e) {} } }
}
return out;
//=> []
---
// twin: raw
return typeof api.store.constructor;
//=> "function"
