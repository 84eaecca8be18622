const evil = { [Symbol.hasInstance]: () => true };
let of = 'taken'; try { of = tasks instanceof evil; } catch (e) { of = e.kind; }
return [of, ({}) instanceof evil, (await tasks.where({ id: 2001 }).count())];
//=> ["invalid",true,0]
---
// twin: raw
class E { static [Symbol.hasInstance]() { return true; } }
return api.store instanceof E;
//=> true
