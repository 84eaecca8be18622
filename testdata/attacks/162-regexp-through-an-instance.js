// The native constructor and compile, through an instance and its species.
const out = [];
const r = /a/;
for (const f of [() => new r.constructor('(a)\\1'), () => r.compile('(a)\\1'), () => { const C = r['constr' + 'uctor']; return new C('(a)\\1'); }, () => { r['constr' + 'uctor'] = { [Symbol.species]: function () { return { exec: () => null, flags: 'y', lastIndex: 0 }; } }; return 'aa'.split(r); }, () => Reflect]) {
  try { out.push(typeof f()); } catch (e) { out.push('refused'); }
}
return out.filter((x) => x === 'function').length;
//! syntax ""
---
// twin: raw
return typeof new (/a/.constructor)('(a)\\1');
//=> "object"
