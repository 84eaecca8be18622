// Callbacks of describing methods, nested without end.
const f = () => tasks.where(f);
return f();
//! limit "nested too deeply"
---
// twin: default
let n = 0;
const f = (t) => { if (n++ < 5) tasks.where(f); return t.id.gt(0); };
return await tasks.where(f).count();
//=> 5
