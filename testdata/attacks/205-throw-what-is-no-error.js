const out = [];
for (const v of [undefined, null, 0, '', Symbol('s'), [], {}, Object.create(null), () => 1, { toString() { throw 'again'; } }, { toString: 1, valueOf: 1 }]) {
  out.push(await Promise.reject(v).then(() => 'no', (e) => e === v));
}
throw Object.create(null);
//! program ""
---
// twin: raw
throw 'plain';
//! program "plain"
