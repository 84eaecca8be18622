return await org.members().join(people, ({ member, person }) => member.password === person.name).count();
//! denied "no member `password`"
---
// twin: open
return await org.members().join(people, ({ member, person }) => member.password === person.password).count();
//=> 4
