const out = [];
for (const x of [NaN, Infinity, -Infinity, 1.5, 2 ** 64, '9223372036854775808', undefined]) {
  try { tasks.where((t) => t.id.eq(x)); out.push(String(x)); } catch (e) { if (e.kind !== 'invalid') out.push(String(x) + e.kind); }
}
return out;
//=> ["1.5"]
---
// twin: raw
return (await api.store.Where('id = NaN OR 1')).length;
//! program ""
---
// twin: raw
return (await api.store.Where('id = 9e999 OR 1')).length;
//=> 8
