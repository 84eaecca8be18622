const seen = [];
for (const f of [() => Object.keys(box), () => Object.getOwnPropertyNames(box), () => Object.getOwnPropertySymbols(box), () => Object.entries(tasks), () => Object.getOwnPropertyDescriptors(org), () => { for (const k in box) seen.push(k); }])
  try { seen.push(f()); } catch (e) { if (e.kind !== 'invalid') seen.push(e.message); }
return seen;
//=> []
---
// twin: raw
return Object.entries(api.store);
//~> "HIDDEN"
