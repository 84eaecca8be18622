{ const m = new Map([['a', 1], [NaN, 2], [0, 3]]); m.set('a', 5).set(-0, 6); return [m, m.size, m.get(NaN), m.get(-0), m.has('b'), m.delete('a'), m.delete('a'), [...m.keys()], [...m.values()], [...m.entries()]]; }
{ const m = new Map(); const k = {}; m.set(k, 1); m.clear(); return [m.size, m.get(k), m.set(1, 1) === m]; }
{ const out = []; new Map([[1, 2], [3, 4]]).forEach((v, k, m) => out.push([v, k, m.size])); return out; }
{ const s = new Set([1, 1, '1', NaN, NaN, 0, -0]); return [s, s.size, s.has('1'), s.delete(1), s.add(9) === s, [...s], [...s.entries()][0]]; }
new Map([1])
new Set(5)
Map()
{ const m = new Map([[1, 'a'], [2, 'b'], [3, 'c']]); const out = []; for (const [k] of m) { out.push(k); if (k === 1) { m.delete(2); m.set(4, 'd'); } } return out; }
[Object.fromEntries(new Map([['a', 1]])), new Map(Object.entries({ b: 2 })), Array.from(new Map([[1, 2]]), ([k, v]) => k + v), new Set('hello').size, [...new Set([3, 1, 3])].sort()]
{ const w = new WeakMap(), k = {}; w.set(k, 1); return [w.get(k), w.has({}), w.delete(k), w.has(k)]; }
new WeakMap().set(1, 1)
new WeakSet().add('a')
{ const s = new WeakSet(), k = []; s.add(k); return [s.has(k), s.has([])]; }
{ class M extends Map { get(k) { return super.get(k) ?? 'none'; } } return [new M([[1, 2]]).get(1), new M().get(1), new M() instanceof Map]; }
[new Map([[1, 1]]).toString(), Map.name, Map.length, typeof Map, new Map([[1, 2]]) == '[object Map]', Symbol.iterator in new Set()]
{ const counts = new Map(); for (const c of 'banana') counts.set(c, (counts.get(c) ?? 0) + 1); return [...counts].sort((a, b) => b[1] - a[1]); }
{ const m = new Map(); m['a'] = 1; return [m.size, m.a, m.get('a')]; }
[].map.call(new Set([1]), (x) => x)
