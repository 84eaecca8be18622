// SQLite compares anything with anything; text in a number's place is refused.
const out = [];
for (const x of ['1 OR 1=1', {}, [], true, '0x1', new Date(0), () => 1, Symbol('x')]) {
  try { tasks.where((t) => t.id.eq(x)); out.push(String(x)); } catch (e) { if (e.kind !== 'invalid') out.push(e.kind); }
}
return out;
//=> []
---
// twin: raw
return (await api.store.Find('id', '>', "a' OR '1")).length;
//=> 8
