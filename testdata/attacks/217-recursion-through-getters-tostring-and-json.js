const o = { get a() { return this.a; } };
const s = { toString() { return s + ''; } };
const j = { toJSON() { return JSON.stringify(j); } };
const kinds = [];
for (const f of [() => o.a, () => s + '', () => JSON.stringify(j)]) { f(); }
//! limit "too deeply"
---
// twin: default
const o = { n: 0, get a() { return this.n++ < 20 ? this.a : 'end'; } };
return o.a;
//=> "end"
