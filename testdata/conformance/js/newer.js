[Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even')), Object.keys(Object.groupBy('hello', (c) => c)), Object.groupBy([], (x) => x)]
[Map.groupBy([1, 2, 3], (x) => x > 1), Map.groupBy([], (x) => x).size]
Object.groupBy(null, (x) => x)
Object.groupBy([1], 1)
{ const { promise, resolve, reject } = Promise.withResolvers(); resolve(5); return [await promise, typeof reject]; }
[await Promise.try(() => 1), await Promise.try(async (x) => x, 2), await Promise.try(() => { throw 3; }).catch((e) => e)]
[await Array.fromAsync([1, Promise.resolve(2)]), await Array.fromAsync([1, 2], (x) => x * 2), await Array.fromAsync({ length: 2, 0: 'a', 1: 'b' })]
[new Set([1, 2]).union(new Set([2, 3])), new Set([1, 2]).intersection(new Set([2, 3])), new Set([1, 2]).difference(new Set([2])), new Set([1, 2]).symmetricDifference(new Set([2, 3])), new Set([1]).isSubsetOf(new Set([1, 2])), new Set([1, 2]).isSupersetOf(new Set([1])), new Set([1]).isDisjointFrom(new Set([2]))]
[1, 2, 3, 4].values().filter((x) => x % 2).map((x) => x * 10).toArray()
[[1, 2, 3].values().take(2).toArray(), [1, 2, 3].values().drop(1).toArray(), [1, 2].values().flatMap((x) => [x, x]).toArray(), [1, 2, 3].values().reduce((a, b) => a + b), [1, 2].values().some((x) => x > 1), [1, 2].values().every((x) => x > 1), [1, 2].values().find((x) => x > 1)]
{ const out = []; new Map([[1, 2]]).entries().forEach((e) => out.push(e)); return out; }
[Iterator.from([1, 2]).map((x) => x + 1).toArray(), Iterator.from({ next: () => ({ done: true }) }).toArray(), Iterator.from('ab').toArray()]
{ function* g() { let i = 0; while (true) yield i++; } return g().filter((x) => x % 2).map((x) => x * x).take(3).toArray(); }
{ const it = [1, 2, 3].values().map((x) => x * 2); return [it.next(), [...it]]; }
[1].values().take(-1)
[1].values().map(1)
[].values().reduce((a) => a)
new Iterator()
{ class C extends Iterator { n = 0; next() { return { value: this.n++, done: this.n > 3 }; } } return [new C().toArray(), [...new C()], new C() instanceof Iterator]; }
[[1].values() instanceof Iterator, typeof Iterator, Iterator.name]
{ let closed = 0; const src = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }), return() { closed++; return {}; } }; } }; for (const x of Iterator.from(src).map((x) => x)) break; return closed; }
[[3, 1, 2].toSorted(), [1, 2].toReversed(), [1, 2, 3].toSpliced(0, 1, 'a', 'b'), [1, 2, 3].with(-1, 9)]
[1].with(5, 1)
