// The cut link can't be put back: there is nothing to put.
const p = Object.getPrototypeOf(() => {});
const d = Object.getOwnPropertyDescriptor(p, 'const' + 'ructor');
try { Object.defineProperty(p, 'const' + 'ructor', { value: 1 }); } catch (e) { return [typeof d.value, d.writable, d.configurable, e.name]; }
//=> ["undefined",false,false,"TypeError"]
---
// twin: raw
return typeof Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), 'constructor').value;
//=> "function"
