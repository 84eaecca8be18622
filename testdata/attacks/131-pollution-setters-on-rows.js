// A setter on ObjectProto would see every assignment that makes a row.
const ObjectProto = Object.getPrototypeOf({});
let seen = '';
for (const n of ['id', 'title', '0', 'results', 'kind', 'message']) Object.defineProperty(ObjectProto, n, { set(v) { seen += n; }, get() { return 'fake'; }, configurable: true });
const rows = await tasks.orderBy((t) => t.id).limit(1).execute();
try { tasks.nope; } catch (e) { seen += e.kind; }
return [seen, rows[0].id];
//=> ["denied",1001]
---
// twin: raw
const seen = [];
Object.defineProperty(Object.prototype, 'id', { set(v) { seen.push(v); } });
const o = {}; o.id = 1;
return seen;
//=> [1]
