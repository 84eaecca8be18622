// Object.groupBy and rows keyed by data: no key is special.
const g = Object.groupBy([{ k: '__proto__' }, { k: 'constructor' }], (x) => x.k);
return [Object.keys(g), ({}).k === undefined];
//=> [["__proto__","constructor"],true]
---
// twin: raw
const g = {}; const k = '__proto__'; (g[k] ??= []).mark = 1; 
return ({}).mark;
//=> 1
