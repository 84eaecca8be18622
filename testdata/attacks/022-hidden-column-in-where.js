// A condition on a hidden column is an oracle, one bit a query.
return await org.members().where((m) => m.password.gt('HIDDEN')).count();
//! denied "no member `password`"
---
// twin: open
//=> 4
