// limits: Wall=150ms
const f = () => { Promise.resolve().then(f); };
f();
return 'returned';
//! limit "ran longer than 150ms"
---
// twin: default
let n = 0; const f = () => { if (n++ < 10) Promise.resolve().then(f); };
f(); await null;
return n > 0;
//=> true
