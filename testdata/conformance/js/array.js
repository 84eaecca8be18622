[[3, 1, 2].sort(), [3, 1, 10, 2].sort(), [3, 1, 10].sort((a, b) => a - b), ['b', undefined, 'a', , 'c'].sort()]
[[1, 2, 3].reverse(), [1, , 3].reverse()]
[[1, 2, 3].slice(-2), [1, 2, 3].slice(1, -1), [1, 2].slice(5), [1, , 3].slice(0, 2)]
{ const a = [1, 2, 3, 4]; return [a.splice(1, 2, 'x', 'y', 'z'), a, a.splice(-1), a, a.splice(1), a]; }
{ const a = [1]; return [a.push(2, 3), a.unshift(0), a.pop(), a.shift(), a]; }
[[1, [2, [3, [4]]]].flat(), [1, [2, [3, [4]]]].flat(2), [1, [2, [3]]].flat(Infinity), [1, , 3].flat(), [[]].flat()]
[[1, 2].flatMap((x) => [x, [x]]), [1, 2].flatMap((x) => x * 2)]
[[1, 2, 3].map((x, i, a) => [x, i, a.length]), [1, , 3].map((x) => x * 2)]
[[1, 2, 3].filter((x) => x % 2), [1, , 3].filter(() => true)]
[[1, 2, 3].reduce((a, b) => a + b), [1, 2, 3].reduce((a, b) => a + b, '>'), [[1], [2]].reduceRight((a, b) => a.concat(b))]
[].reduce((a, b) => a)
[[1, 2, 3].find((x) => x > 1), [1].find((x) => x > 1), [1, 2, 3].findIndex((x) => x > 1), [1, 2, 3].findLast((x) => x < 3), [1, 2, 3].findLastIndex((x) => x > 9)]
[[1, 2, NaN].includes(NaN), [1, 2, NaN].indexOf(NaN), [1, 2, 1].lastIndexOf(1), [, 1].includes(undefined), [, 1].indexOf(undefined), [1, 2].indexOf(2, -1)]
[[1, 2].some((x) => x > 1), [].some(() => true), [].every(() => false), [1, 2].every((x) => x > 1)]
[[1, 2].join(), [1, null, undefined, [2, 3]].join('-'), [].join('x'), [, ,].join()]
[[1, 2].concat(3, [4, [5]]), [].concat('a', { length: 1 }), [1, ,].concat([, 2])]
[Array.from('héllo'), Array.from({ length: 3 }), Array.from({ length: 2, 0: 'a', 1: 'b' }, (x, i) => x + i), Array.from(new Set([1, 1, 2])), Array.from(new Map([[1, 2]]))]
[Array.of(7), Array.of(1, undefined), Array(3), Array(3).length, new Array(2, 3), Array.isArray([]), Array.isArray({ length: 0 })]
new Array(-1)
[[1, 2, 3].fill(0), [1, 2, 3].fill(9, 1), [1, 2, 3].fill(9, -1), Array(2).fill([])]
[[1, 2, 3, 4, 5].copyWithin(0, 3), [1, 2, 3, 4, 5].copyWithin(1, 0, 2), [1, 2, 3].copyWithin(-1, 0)]
[[1, 2].at(-1), [1, 2].at(5), [1, 2].at(0.9), 'ab'.at(-1)]
[[...[1, 2].entries()], [...[1, 2].keys()], [...[1, 2].values()], [...'ab'].entries().next()]
{ const a = [1, 2, 3]; a.length = 1; a[3] = 4; delete a[0]; return [a, a.length, 0 in a, 3 in a]; }
{ const a = [1, 2]; a.x = 1; return [Object.keys(a), a.length, JSON.stringify(a)]; }
{ const a = []; a['1'] = 'b'; a['01'] = 'c'; return [a.length, Object.keys(a)]; }
{ const out = []; for (const i in ['a', , 'c']) out.push(i); return out; }
{ const [a, , b = 5, ...c] = [1, 2, undefined, 4, 5]; return [a, b, c]; }
{ let a = 1, b = 2; [a, b] = [b, a]; return [a, b]; }
{ const a = [1, 2, 3]; const out = []; a.forEach((x, i) => { if (i === 0) a.push(9); out.push(x); }); return [out, a]; }
[[1, 2, 3].toString(), String([1, [2, 3]]), [] + [], [1] == 1, [1, 2] + 3]
[[10, 9, 1].sort(undefined), [true, false].sort(), ['B', 'a', 'C'].sort(), ['é', 'z', 'e'].sort(), ['é', 'z', 'e'].sort((a, b) => a.localeCompare(b))]
[5, 1, 4].sort(null)
{ const a = [{ k: 1, v: 'a' }, { k: 0, v: 'b' }, { k: 1, v: 'c' }, { k: 0, v: 'd' }]; return a.sort((x, y) => x.k - y.k).map((x) => x.v).join(''); }
[[].slice.call({ length: 2, 0: 'a', 1: 'b' }), [].map.call('abc', (x) => x + x), [].join.call({ length: 2 }, '-')]
[[1, 2, 3].lastIndexOf(3, -5), [1, 2, 3].indexOf('2'), [[1]].includes([1])]
[Object.getOwnPropertyNames([1]), Object.entries(['a']), Object.assign([1, 2], [3])]
[typeof [], [] instanceof Array, [] instanceof Object, Array.name, Array.length, [].concat.name, [].concat.length]
[1, 2, 3].map(parseInt)
['1', '2', '3'].map(Number)
[[undefined, null].map(String), [0, '', null, 'a'].filter(Boolean)]
null.map
[1].map(1)
[1, 2].findLast()
Object.freeze([1]).push(2)
{ const a = Object.freeze([1]); a[0] = 2; }
{ class L extends Array { sum() { let n = 0; for (const x of this) n += x; return n; } } const l = L.from([1, 2, 3]); return [l.sum(), l.map((x) => x * 2).sum(), l instanceof L, l.length, Array.isArray(l)]; }
