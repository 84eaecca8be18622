// The built-ins that models write, and their results.
const a = [3, 1, 2];
return [a.length, a[0], a.map((x) => x * 2), a.filter((x) => x > 1), a.reduce((s, x) => s + x, 0), a.reduce((s, x) => s + x), a.find((x) => x > 2), a.some((x) => x > 2), a.every((x) => x > 0), a.includes(2), a.indexOf(9), a.join('-'), a.slice(1), a.at(-1), [[1], [2, [3]]].flat(2), a.concat([4])]
//=> [3,3,[6,2,4],[3,2],6,6,3,true,true,true,-1,"3-1-2",[1,2],2,[1,2,3],[3,1,2,4]]
---
const a = [3, 1, 2];
return [a.toSorted(), a.toReversed(), a.toSpliced(1, 1), a.with(0, 9), [...a].sort((x, y) => y - x), a.findLast((x) => x < 3), a.findIndex((x) => x === 2), a.flatMap((x) => [x, x]).length, [...a.entries()], [...a.keys()], Array.from({ length: 3 }, (_, i) => i * i), Array.isArray(a), Array.of(1, 2)]
//=> [[1,2,3],[2,1,3],[3,2],[9,1,2],[3,2,1],2,2,6,[[0,3],[1,1],[2,2]],[0,1,2],[0,1,4],true,[1,2]]
---
const s = 'Hello, World';
return [s.length, s.toUpperCase(), s.slice(-5), s.split(', '), s.includes('lo'), s.startsWith('He'), s.endsWith('d'), ' a '.trim(), s.indexOf('o'), s.replace('World', 'x'), 'ab'.repeat(2), s.charAt(1), s.at(-1), '5'.padStart(3, '0'), s.substring(0, 2), 'a-b-c'.replaceAll('-', ''), 'a'.localeCompare('b'), 'abc'.charCodeAt(0), s[0]]
//=> [12,"HELLO, WORLD","World",["Hello","World"],true,true,true,"a",4,"Hello, x","abab","e","d","005","He","abc",-1,97,"H"]
---
const o = { a: 1, b: 2 };
return [Object.keys(o), Object.values(o), Object.entries(o), Object.fromEntries([['x', 1]]), Object.assign({}, o, { c: 3 }), 'a' in o, o.hasOwnProperty('a'), Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))]
//=> [["a","b"],[1,2],[["a",1],["b",2]],{"x":1},{"a":1,"b":2,"c":3},true,true,{"odd":[1,3],"even":[2]}]
---
return [Math.min(1, 2), Math.max(...[1, 5, 2]), Math.round(1.5), Math.floor(-1.5), Math.ceil(1.2), Math.abs(-1), Math.sqrt(9), Math.pow(2, 3), Math.sign(-5), Math.trunc(1.9), Math.PI > 3, Math.hypot(3, 4)]
//=> [1,5,2,-2,2,1,3,8,-1,1,true,5]
---
return [parseInt('42px'), parseInt('ff', 16), parseFloat('1.5e3'), Number('12'), Number(''), Number('x'), isNaN('x'), Number.isInteger(5), Number.isFinite(1 / 0), (1234.5).toFixed(2), (255).toString(16), Number.MAX_SAFE_INTEGER, String(12), Boolean('')]
//=> [42,255,1500,12,0,null,true,true,false,"1234.50","ff",9007199254740991,"12",false]
---
return [JSON.stringify({ a: [1, null, undefined], b: undefined, d: new Date(0) }), JSON.stringify({ a: 1 }, null, 2), JSON.parse('{"a":[1,2]}').a[1], JSON.stringify('é"\n')]
//=> ["{\"a\":[1,null,null],\"d\":\"1970-01-01T00:00:00.000Z\"}","{\n  \"a\": 1\n}",2,"\"é\\\"\\n\""]
---
const m = new Map([['a', 1]]); m.set('b', 2); const s = new Set([1, 2, 2]);
return [[...m], m.get('a'), m.has('x'), m.size, [...s], s.size, Object.fromEntries(m), [...new Map(Object.entries({ k: 1 })).keys()]]
//=> [[["a",1],["b",2]],1,false,2,[1,2],2,{"a":1,"b":2},["k"]]
---
const d = new Date('2026-01-31T12:34:56.789Z');
return [d.getTime(), d.toISOString(), d.getUTCFullYear(), d.getFullYear(), d.getMonth(), d.getDate(), d.getDay(), d.getHours(), new Date(2026, 0, 1).toISOString(), Date.UTC(2026, 0, 1), Date.parse('2026-01-01'), new Date('x').getTime(), d]
//=> [1769862896789,"2026-01-31T12:34:56.789Z",2026,2026,0,31,6,12,"2026-01-01T00:00:00.000Z",1767225600000,1767225600000,null,"2026-01-31T12:34:56.789Z"]
---
return ['2026-01-31'.match(/(\d+)-(\d+)/).slice(1), 'a1b2'.replace(/\d/g, (x) => x * 2), /^a.c$/i.test('ABC'), [...'a1b2'.matchAll(/[a-z](\d)/g)].map((m) => m[1]), 'a, b;c'.split(/[,;]\s*/)]
//=> [["2026","01"],"a2b4",true,["1","2"],["a","b","c"]]
---
const a = { d: new Date(0), m: new Map([[1, { x: 1 }]]), l: [1, [2]] }; const b = structuredClone(a);
b.l[1].push(3); b.m.get(1).x = 2;
return [a.l, a.m.get(1).x, b.l, b.d.getTime(), b.d !== a.d]
//=> [[1,[2]],1,[1,[2,3]],0,true]
---
return [encodeURIComponent('a b&c'), decodeURIComponent('a%20b'), isFinite('1')]  //=> ["a%20b%26c","a b",true]
---
return [/x/ instanceof RegExp, RegExp('x') instanceof RegExp, new RegExp(/x/g).flags, RegExp.name, typeof RegExp]  //=> [true,true,"g","RegExp","function"]
---
// What a program puts in the place of built-in methods does not change those that are our own.
const evil = () => 'evil', v = { a: { b: [1, new Date(5)] }, m: new Map([[1, 2]]), s: new Set([3]) };
for (const C of [Map, Set, Date]) { const p = Object.getPrototypeOf(new C()); for (const k of ['has', 'get', 'set', 'add', 'forEach', 'getTime', Symbol.iterator]) if (k in p) p[k] = evil; }
Object.getPrototypeOf([]).push = evil;
const c = structuredClone(v);
return [c.a.b, c.m.size, c.s.size, Object.groupBy([1, 2], (x) => (x > 1 ? 'b' : 'a')), Map.groupBy([1, 2, 3], (x) => x > 1).size];
//=> [[1,"1970-01-01T00:00:00.005Z"],1,1,{"a":[1],"b":[2]},2]
