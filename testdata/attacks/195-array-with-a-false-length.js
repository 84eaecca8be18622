// An array that claims 2^32 items, in every place where the host walks one.
const huge = []; huge.length = 4294967295;
const kinds = [];
for (const f of [() => box.put(huge), () => tasks.where((t) => t.id.in(huge)), () => tasks.orderBy(() => huge)]) {
  try { await f(); kinds.push('ok'); } catch (e) { kinds.push(e.kind); }
}
return kinds;
//! limit "limit"
---
// twin: raw
const huge = []; huge.length = 4294967295;
return huge.length;
//=> 4294967295
