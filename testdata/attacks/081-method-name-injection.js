// Operators are looked up in a table, not written into the text.
const out = [];
for (const n of ['= 1 OR 1 =', 'like', 'LIKE', 'IN (SELECT', '||', 'and', 'glob', 'collate', 'sql', 'raw', 'compile']) {
  try { tasks.where((t) => t.id[n](1)); out.push(n); } catch (e) { if (e.kind !== 'denied') out.push(n + e.kind); }
}
return out;
//=> []
---
// twin: raw
return (await api.store.Find('id', "= 1 OR '1' =", '1')).length;
//=> 8
