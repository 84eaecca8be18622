const evil = { [Symbol.hasInstance]: () => true };
return [tasks instanceof evil, ({}) instanceof evil, (await tasks.where({ id: 2001 }).count())];
//=> [true,true,0]
---
// twin: raw
class E { static [Symbol.hasInstance]() { return true; } }
return api.store instanceof E;
//=> true
