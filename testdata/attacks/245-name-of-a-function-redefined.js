// Each way to define the name of a function, which the engine reads while it
// captures a stack: refused, with a key that changes between two readings too.
let n = 0, ran = 0;
const evil = { get() { ran++; return 'x'; }, configurable: true }, f = [].map;
const changing = { toString: () => (n++ === 0 ? 'other' : 'name') };
const out = [];
for (const how of [
  () => Object.defineProperty(f, 'name', evil), () => Object.defineProperties(f, { name: evil }),
  () => Object.defineProperty(f, ['name'], evil), () => Object.defineProperty(f, { toString: () => 'name' }, evil),
  () => Object.defineProperty(f, changing, { value: 1 }), () => Object.defineProperties(f, { more: { value: 2 }, [Symbol.iterator]: { value: 3 } }),
  () => Object.defineProperties({}, { name: { value: 'fine', enumerable: true } }).name,
]) try { how(); out.push('done'); } catch (e) { out.push(e.name); }
try { [1].map(() => { null.x; }); } catch (e) { out.push(e.name); }
return [out, ran, n, f.other, f.more, f[Symbol.iterator], typeof Object.getOwnPropertyDescriptor(f, 'name')?.get];
//=> [["TypeError","TypeError","TypeError","TypeError","done","done","done","TypeError"],0,1,1,2,3,"undefined"]
---
// twin: raw
let ran = 0;
const f = [].map;
Object.defineProperties(f, { name: { get() { ran++; return 'x'; } } });
try { [1].map(() => { null.x; }); } catch (e) { return ran > 0; }
//=> true
