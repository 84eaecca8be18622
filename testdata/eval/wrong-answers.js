// What exoagent answers wrongly in TypeScript must be right here.
return ['b' >= 'a', '2026-01-02' >= '2026-01-01', [{ d: '2' }, { d: '1' }].filter((x) => x.d >= '2').length]  //=> [true,true,1]
---
// SQL NULL is null, and the key stays.
const t = await tasks.where({ id: 1003 }).first(); return [t.dueAt === null, 'dueAt' in t, [t].map((x) => ({ due: x.dueAt }))]
//=> [true,true,[{"due":null}]]
---
return [new Date().toISOString(), new Date(undefined).getTime()]  //=> ["2026-01-02T03:04:05.678Z",null]
---
return [[1, 2, 3].reduce((a, b) => a + b), [1, 2, 3].reduceRight((a, b) => a + '' + b)]  //=> [6,"321"]
---
return [1, 2, 1].lastIndexOf(1)  //=> 2
---
return [[1, 2, 3].toSpliced(1), [1, 2, 3].toSpliced(1, 1)]  //=> [[1],[1,3]]
---
const row = { a: 1, status: 'y' }; return [{ ...row, status: 'x' }, ['a', 'b', 'a'].reduce((acc, k) => ({ ...acc, [k]: (acc[k] ?? 0) + 1 }), {})]
//=> [{"a":1,"status":"x"},{"a":2,"b":1}]
---
const o = null; return [o?.a.b, o?.a.b.c(), o?.a['b'].c]  //=> [null,null,null]
---
return [[1, , 3].length, JSON.stringify([1, , 3]), [1, , 3]]  //=> [3,"[1,null,3]",[1,null,3]]
---
return [typeof undeclared, isNaN(NaN), Infinity > 1, +'5', 'a' in { a: 1 }, (1.005).toFixed(1), String(5), Number('5'), [0, 1, ''].filter(Boolean), Math.max(...[1, 2]), Array.from({ length: 2 }).length, 'a'.localeCompare('b'), [...'ab']]
//=> ["undefined",true,true,5,true,"1.0","5",5,[1],2,2,-1,["a","b"]]
---
const out = []; [1, 2].forEach((x) => out.push(x)); return [out, await Promise.all([1, 2].map(async (x) => x * 2))]  //=> [[1,2],[2,4]]
---
const a = new Date(1000), b = new Date(2000); return [a < b, b - a, `${new Date(0).toISOString()}`, `${null}`, 'x' + null, 1 + null]
//=> [true,1000,"1970-01-01T00:00:00.000Z","null","xnull",1]
---
// A callback that says nothing is no filter.
tasks.where(() => undefined)  //! invalid "returned nothing"
---
// offset without limit; booleans as arguments.
return [(await tasks.orderBy((t) => t.id).offset(3).execute()).map((t) => t.id), await tasks.where((t) => t.done.eq(true)).count()]
//=> [[1004,1090],1]
---
// (a = 1) < (b = 2), in SQL, needs its parentheses; conditions compare with conditions here.
return await tasks.where((t) => t.done.eq(false).eq(t.id.gt(1001))).count()  //=> 3
---
```js
(api) => api.tasks.count()
```
//=> 5
---
function (api) { return api.tasks.count() }  //=> 5
---
// BigInt is refused with a reason, rather than failing while it prints the error.
return 1n + 2n  //! syntax "BigInt"
