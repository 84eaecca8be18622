// A stack reads the names of native functions. A getter there that throws
// captures a stack, which reads the name: the Go stack overflowed, which no
// program in the process survives.
const out = [];
const evil = { get() { throw new Error('in a stack'); } };
for (const f of [[].map, [].map.bind([1]), tasks.where, box.put, Object.getPrototypeOf([].map), console.log]) {
  for (const how of [
    () => Object.defineProperty(f, 'name', evil), () => Object.defineProperties(f, { name: evil }),
    () => Object.defineProperty(f, ['name'], { value: { toString: evil.get } }), () => { delete f.name; f.name = { toString: evil.get }; },
    () => Object.assign(f, { name: { toString: evil.get } }),
  ]) try { how(); } catch (e) {}
  try { f(() => { tasks.nope; }); } catch (e) { out.push(e.kind ?? e.name); }
}
try { [1].map(() => { tasks.nope; }); } catch (e) { out.push(e.kind); }
return out;
//~> "denied"
---
// twin: raw
let ran = 0;
Object.defineProperty(Array.prototype.map, 'name', { get() { ran++; return 'x'; } });
try { [1].map(() => { null.x; }); } catch (e) { return ran > 0; }
//=> true
