const out = [];
for (const n of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then']) {
  try { tasks.where({ [n]: 1 }); out.push(n); } catch (e) { if (e.kind !== 'denied') out.push(n + e.kind); }
}
return out;
//=> []
---
// twin: raw
return typeof ({})['constructor'];
//=> "function"
