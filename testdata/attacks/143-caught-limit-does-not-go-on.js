// A caught limit would be no limit.
// limits: Rows=3
try { await tasks.execute(); } catch (e) { return 'went on'; } finally { console.log('finally'); }
return 'went on';
//! limit "more than 3 rows"
---
// twin: default
//=> "went on"
