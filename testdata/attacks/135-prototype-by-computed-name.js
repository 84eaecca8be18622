// The syntax `.prototype` is refused to say so early; nothing depends on it: the
// name in pieces reaches a prototype of the program's own world.
const P = 'proto' + 'type';
Object[P].mark = 1; Array[P].map = () => 'mine';
return [[].map(), (await tasks.execute()).length, ({}).mark];
//=> ["mine",5,1]
---
// twin: raw
return Object['proto' + 'type'] === Object.prototype;
//=> true
