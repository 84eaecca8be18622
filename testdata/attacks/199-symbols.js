// Symbols as names, values, and what the language asks for by symbol.
const kinds = [];
for (const f of [() => box.put(Symbol('x')), () => tasks[Symbol('x')], () => tasks[Symbol.toPrimitive], () => tasks[Symbol.iterator], () => tasks[Symbol.toStringTag], () => box.put({ [Symbol('k')]: 1, a: 1 }), () => tasks.where({ [Symbol('k')]: 1 })]) {
  try { kinds.push(typeof (await f())); } catch (e) { kinds.push(e.kind ?? e.name); }
}
return kinds;
//=> ["invalid","undefined","undefined","invalid","undefined","object","invalid"]
---
// twin: raw
return typeof api.same[Symbol.hasInstance];
//=> "function"
