// Rows count when nobody waits for them, too.
// limits: Rows=8
tasks.execute(); tasks.execute();
return 1;
//! limit "more than 8 rows"
---
// twin: default
//=> 1
