// Things that look like a list.
const out = [];
for (const x of ['(SELECT 1)', { length: 1, 0: 1 }, new Set([1]), 1, null, [[1]], [{}], [undefined], [NaN], ['a\u0000']]) {
  try { tasks.where((t) => t.id.in(x)); out.push(typeof x); } catch (e) { if (e.kind !== 'invalid') out.push(e.kind + e.message); }
}
return out;
//=> []
---
// twin: raw
return (await api.store.Where("id IN (SELECT id FROM members UNION SELECT 1001)")).length;
//=> 1
