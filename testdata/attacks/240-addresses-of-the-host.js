// What the engine prints of a method or of api must not be its own memory.
const out = [];
for (const f of [() => String(org.where), () => org.where + '', () => `${tasks.execute}`, () => api + '', () => String(api), () => JSON.stringify(api), () => org.join.toString()]) {
  try { out.push(String(f())); } catch (e) { out.push(e.message); }
}
return [out.length, out.some((s) => s.includes('0x') || s.includes('&{'))];
//=> [7,false]
---
// twin: raw
try { return String(Object.create(null)); } catch (e) { return e.message; }
//~> "0x"
