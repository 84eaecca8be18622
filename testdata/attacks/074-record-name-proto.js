// A row with a name that JavaScript gives a meaning.
const out = [];
for (const n of ['__proto__', 'constructor', 'prototype', 'then', 'toJSON', '']) {
  try { people.select((p) => ({ [n]: p.id })); out.push(n); } catch (e) { if (e.kind !== 'invalid') out.push(n + e.message); }
}
return out;
//=> []
---
// twin: raw
const row = api.same({ then: (f) => f('called by await') });
return await row;
//=> "called by await"
