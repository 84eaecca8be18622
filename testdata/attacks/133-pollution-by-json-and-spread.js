const o = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}}');
const merged = { ...o }; Object.assign({}, o); structuredClone(o); Object.fromEntries(Object.entries(o));
return [({}).polluted === undefined, [].polluted === undefined, Object.keys(merged)];
//=> [true,true,["__proto__","constructor"]]
---
// twin: raw
const merge = (a, b) => { for (const k in b) { if (typeof b[k] === 'object') merge(a[k], b[k]); else a[k] = b[k]; } };
merge({}, JSON.parse('{"__proto__": {"polluted": 1}}'));
return ({}).polluted;
//=> 1
