return await org.members().where({ password: 'HIDDEN ann' }).count();
//! denied "no member `password`"
---
// twin: open
//=> 1
