// Helpers of iterators, which the engine lacks.
const s = new Set([1, 2, 3, 4]);
return [s.values().map((x, i) => x * 10 + i).toArray(), s.values().filter((x) => x % 2).toArray(), s.values().take(2).toArray(), s.values().drop(3).toArray(), s.values().flatMap((x) => [x, x]).toArray(), s.values().reduce((a, b) => a + b), s.values().reduce((a, b) => a + b, 'x')]
//=> [[10,21,32,43],[1,3],[1,2],[4],[1,1,2,2,3,3,4,4],10,"x1234"]
---
const m = new Map([['a', 1], ['b', 2]]); const seen = [];
m.entries().forEach(([k, v], i) => seen.push(k + v + i));
return [seen, m.keys().toArray(), m.values().some((v) => v > 1), m.values().every((v) => v > 1), m.values().find((v) => v > 1), m.values().find((v) => v > 9) ?? 'none', [...m.values().map((v) => -v)]]
//=> [["a10","b21"],["a","b"],true,false,2,"none",[-1,-2]]
---
// Lazy, so an endless one will do; what is given up is closed, once.
let closed = 0;
function* all() { try { for (let i = 0; ; i++) yield i; } finally { closed++; } }
const firsts = [all().filter((x) => x % 3 === 0).map((x) => x * x).take(3).toArray(), all().drop(5).take(1).toArray(), all().some((x) => x === 4), all().find((x) => x > 2), [...all().flatMap((x) => Array(x).fill(x)).take(4)]];
const it = all().map((x) => x); it.next(); it.return(); it.return();
try { all().map(() => { throw new Error('mine') }).next() } catch (e) { firsts.push(e.message) }
return [firsts, closed, it.next()]
//=> [[[0,9,36],[5],true,3,[1,2,2,3],"mine"],7,{"done":true}]
---
class Range extends Iterator { constructor(n) { super(); this.n = n; } next() { return this.n > 0 ? { value: this.n--, done: false } : { value: undefined, done: true }; } }
return [new Range(3).toArray(), new Range(3) instanceof Iterator, [].values() instanceof Iterator, Iterator.from({ next: () => ({ done: true }) }).toArray(), Iterator.from([1, 2]).map((x) => x + 1).toArray(), Iterator.from('ab').toArray(), Iterator.from(new Set([5])).take(Infinity).toArray(), [...'a1b2'.matchAll(/\d/g)].length, 'a1b2'.matchAll(/\d/g).map((m) => m[0]).toArray()]
//=> [[3,2,1],true,true,[],[2,3],["a","b"],[5],2,["1","2"]]
---
const out = []; const s = new Set([1]);
for (const f of [() => s.values().take(-1), () => s.values().take(NaN), () => s.values().map(1), () => s.values().flatMap((x) => x).next(), () => new Iterator(), () => Iterator(), () => Iterator.from(1), () => s.values().drop(2).reduce((a) => a), () => s.values().flatMap(() => 'text').next()]) { try { f(); out.push('fine') } catch (e) { out.push(e.name) } }
return out
//=> ["RangeError","RangeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]
---
const it = [1, 2, 3].values(); const t = it.take(1);
return [t.next(), t.next(), it.next(), Object.keys(t)]
//=> [{"value":1,"done":false},{"done":true},{"value":2,"done":false},[]]
---
return [await Array.fromAsync([1, Promise.resolve(2)]), await Array.fromAsync([Promise.resolve('a')].values(), async (x, i) => x + i), await Array.fromAsync({ length: 2, 0: 'x', 1: tasks.count() }), await Array.fromAsync([1], 2).catch((e) => e.name), await Array.fromAsync(null).catch((e) => e.name)]
//=> [[1,2],["a0"],["x",5],"TypeError","TypeError"]
---
return [await Promise.try(() => 1), await Promise.try((a, b) => a + b, 1, 2), await Promise.try(() => { throw new Error('mine') }).catch((e) => e.message), await Promise.try(async () => 2)]
//=> [1,3,"mine",2]
---
const { promise, resolve } = Promise.withResolvers(); resolve(3);
return [await promise, Object.groupBy([1, 2, 3], (x) => (x > 1 ? 'many' : 'one')), [...Map.groupBy([1, 2, 3], (x) => x % 2)]]
//=> [3,{"one":[1],"many":[2,3]},[[1,[1,3]],[0,[2]]]]
---
const by = (x) => Object.getOwnPropertyNames(x);
try { return structuredClone({ f: () => 1 }) } catch (e) { return [e.name, structuredClone([new Date(0), new Map([[1, new Set([2])]]), { a: [null, 'x'] }]).length, by(structuredClone({ z: 1 }))] }
//=> ["TypeError",3,["z"]]
