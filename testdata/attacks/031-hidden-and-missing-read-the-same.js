// The two errors differ in the asked name only.
const ask = (name) => { try { people.where((p) => p[name]); } catch (e) { return e.message.replace(name, 'X') + e.kind; } };
return ask('passwqrd') === ask('password') && ask('emqil') === ask('email');
//=> true
---
// twin: open
//=> false
