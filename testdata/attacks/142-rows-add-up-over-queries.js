// limits: Rows=12
for (let i = 0; i < 3; i++) await tasks.execute();
return 'read 15';
//! limit "more than 12 rows"
---
// twin: default
//=> "read 15"
