// What a program does to the prototypes changes nothing that the host reads or writes.
const ObjectProto = Object.getPrototypeOf({}), ArrayProto = Object.getPrototypeOf([]), StringProto = Object.getPrototypeOf(''), PromiseProto = Promise[['proto', 'type'].join('')];
ObjectProto.id = 2001; ObjectProto.polluted = 1; ArrayProto.toJSON = () => 'x';
ObjectProto.toJSON = () => 'y'; StringProto.toString = () => 'z'; ArrayProto[Symbol.iterator] = undefined;
ArrayProto.map = ArrayProto.push = ArrayProto.join = () => { throw new Error('x'); };
PromiseProto.then = undefined; Object.keys = () => ['evil']; JSON.stringify = () => 'evil'; Object.defineProperty = null;
const rows = await tasks.where({ done: false }).execute();
return { n: rows.length, own: Object.getOwnPropertyNames(rows[0]).length, id: rows[0].id };
//=> {"n":4,"own":6,"id":1001}
---
// twin: raw
JSON.stringify = () => '"polluted"'; Object.prototype.toJSON = () => 'polluted';
return {};
//=> "polluted"
