// From every value that is handed in.
const C = 'const' + 'ructor';
const things = { tasks, org, box, api, console, log: console.log, put: box.put, row: await tasks.first(), rows: await tasks.execute(), promise: box.put(1), error: await box.fail().catch((e) => e), date: new Date(), map: new Map(), re: /a/, sym: Symbol.iterator, num: 1, str: 's', bool: true, fn: () => 1, afn: async () => 1, gen: function* () {}, cls: class {}, it: [][Symbol.iterator](), g: structuredClone, R: RegExp, P: Promise };
const out = [];
await things.promise;
for (const [name, x] of Object.entries(things)) {
  for (const path of [[C], [C, C], ['__proto__', C], ['__proto__', C, C], [C, '__proto__', C]]) {
    try {
      let f = x;
      for (const p of path) f = f[p];
      if (typeof f !== 'function') continue;
      const v = f('return 7');
      const w = typeof v === 'function' ? v() : v;
      if (w === 7 || (w && typeof w.next === 'function' && w.next().value === 7)) out.push(name + ':' + path.join('.'));
    } catch (e) {}
  }
}
return out;
//=> []
---
// twin: raw
const C = 'const' + 'ructor';
return [api[C][C]('return 7')(), (() => 1)[C]('return 7')(), (await (async () => 1)[C]('return 7')())];
//=> [7,7,7]
