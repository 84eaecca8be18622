const seen = [Object.keys(box), Object.getOwnPropertyNames(box), Object.getOwnPropertySymbols(box), Object.entries(tasks), JSON.stringify(Object.getOwnPropertyDescriptors(org))];
for (const k in box) seen.push(k);
return seen;
//=> [[],[],[],[],"{}"]
---
// twin: raw
return Object.entries(api.store);
//~> "HIDDEN"
