// Results are delivered whatever the program made of Promise.
const P = Promise[['proto', 'type'].join('')];
const seen = [];
const then = P.then;
P.then = function (a, b) { seen.push('spied'); return then.call(this, a, b); };
const rows = await tasks.execute();
return rows.length;
//=> 5
---
// twin: raw
const P = Promise.prototype; const seen = [];
const then = P.then; P.then = function (a, b) { seen.push('spied'); return then.call(this, a, b); };
await Promise.resolve(1).then((x) => x);
return seen.length > 0;
//=> true
