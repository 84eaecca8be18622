// Host coercion must run no function of the program: objects are data, not their toString.
let called = 0;
const o = { toString() { called++; return '1001'; }, valueOf() { called++; return 1001; }, [Symbol.toPrimitive]() { called++; return 1001; } };
const kinds = [];
for (const f of [() => tasks.where((t) => t.id.eq(o)), () => tasks.limit(o), () => tasks.as(o), () => tasks.where((t) => t.title.in([o])), () => box.name(o)]) {
  try { await f(); kinds.push('ok'); } catch (e) { kinds.push(e.kind); }
}
return [kinds, called];
//=> [["invalid","invalid","invalid","invalid","invalid"],0]
---
// twin: raw
let called = 0;
const o = { toString() { called++; return called === 1 ? 'safe' : 'evil'; } };
return [await api.text(o), called];
//=> ["safeevil",2]
