// What sets and shows prototypes and accessors by old names, computed so that no
// checker sees them. With one of them a prototype loop or a hidden getter is made. (Four of them the engine does not have, yet.)
const o = {};
const seen = ['__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__'].map((n) => n in o || o[n] !== undefined || (() => 1)[n] !== undefined);
return [seen, typeof Object['setPrototype' + 'Of'], typeof o['construc' + 'tor']['setPrototype' + 'Of']];
//=> [[false,false,false,false,false],"undefined","undefined"]
---
// twin: raw
const o = {};
return [['__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__'].map((n) => n in o), typeof Object['setPrototype' + 'Of']];
//=> [[true,false,false,false,false],"function"]
