return await people.select((p) => ({ a: { b: { ['__proto__']: p.id } } })).execute();
//! syntax "`__proto__` is not available"
---
// twin: raw
const o = {}; o.a = {}; o.a['__proto__'] = { polluted: true };
return o.a.polluted;
//=> true
