// limits: Wall=100ms
for (;;) { try { for (;;) {} } catch (e) {} finally { continue; } }
//! limit "ran longer than 100ms"
---
// twin: default
let n = 0; for (;;) { try { throw 1; } catch (e) { if (n++ > 10) break; } }
return n;
//=> 12
