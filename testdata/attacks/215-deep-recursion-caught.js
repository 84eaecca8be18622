const f = () => { try { f(); } catch (e) { return 'caught'; } };
return f();
//! limit "too deeply"
---
// twin: raw
const f = () => { try { f(); } catch (e) { return 'caught'; } return 'back'; };
let n = 0; const g = () => { if (n++ < 100) g(); };
g(); return n;
//=> 101
