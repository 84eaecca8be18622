const C = 'const' + 'ructor';
const protos = [async () => {}, function* () {}, () => {}, class {}, console.log].map((f) => Object.getPrototypeOf(f));
return protos.map((p) => typeof p[C]);
//=> ["undefined","undefined","undefined","undefined","undefined"]
---
// twin: raw
const C = 'const' + 'ructor';
return [async () => {}, function* () {}].map((f) => typeof Object.getPrototypeOf(f)[C]);
//=> ["function","function"]
