// A getter that answers otherwise the second time: checked once and used as checked.
let n = 0;
const id = { get id() { n++; return n === 1 ? 1001 : "1' OR '1"; } };
const rows = await tasks.where(id).execute();
return [rows.length, n];
//=> [1,1]
---
// twin: raw
let n = 0;
const q = { get id() { n++; return n === 1 ? 1001 : "1' OR '1'='1"; } };
if (typeof q.id === 'number') return (await api.store.Find('id', '=', q.id)).length;
//=> 8
