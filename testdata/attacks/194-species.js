// Species and constructors of one's own decide what built-ins make; the host's lists stay lists.
const rows = await tasks.execute();
class Evil extends Array { constructor(...a) { super(...a); this.evil = 1; } }
rows['const' + 'ructor'] = { [Symbol.species]: Evil };
const m = rows.map((x) => x.id);
const n = await box.put(m);
return [Array.isArray(n), n.evil === undefined, n.length];
//=> [true,true,5]
---
// twin: raw
const a = [1]; class Evil extends Array {}
a.constructor = { [Symbol.species]: Evil };
return a.map((x) => x) instanceof Evil;
//=> true
