const out = [];
for (const n of ['__proto__', 'constructor', 'then', 'toJSON', 'prototype', '', '1a', 'a b', 'a;b', 'a"b', "a'b", 'a`b', 'a\u0000b', 'ａ', 'a.b', 'x'.repeat(101)]) {
  try { tasks.as(n); out.push(n); } catch (e) { if (e.kind !== 'invalid') out.push(n + ': ' + e.kind); }
}
return out;
//=> []
---
// twin: raw
return (await api.store.As('"a b"')).length;
//=> 5
