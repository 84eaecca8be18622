const out = [];
for (const n of ['globalThis', 'Function', 'eval', 'Reflect', 'Proxy', 'require', 'process', 'setTimeout', 'WeakRef', 'FinalizationRegistry', 'ArrayBuffer', 'Uint8Array', 'BigInt', 'Iterator', 'import', 'window', 'self', 'global']) out.push(n);
return typeof eval;
//! syntax ""
---
// twin: raw
return [typeof globalThis, typeof Function, typeof eval, typeof Reflect, typeof Proxy];
//=> ["object","function","function","object","function"]
