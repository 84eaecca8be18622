{ function f(a, b = a + 1, ...c) { return [a, b, c, arguments.length, f.length]; } return [f(1), f(1, undefined, 3, 4), f.name, (() => 1).name, (function g() {}).name]; }
{ const f = function () { return typeof this; }; return [f(), f.call(1), f.apply('x'), f.bind({})(), f.call(null)]; }
{ const add = (a) => (b) => (c) => a + b + c; return add(1)(2)(3); }
{ const f = (a, b) => a - b; return [f(...[5, 3]), f.apply(null, [5, 3]), f.call(null, 5, 3), f.bind(null, 10)(1), f.bind(null, 1).name, f.bind(null, 1).length]; }
{ class A { #p = 1; static s = 2; x = this.#p + 1; get p() { return this.#p; } set p(v) { this.#p = v; } #m() { return 'm'; } m() { return this.#m(); } static t() { return A.s; } static #q = 9; static q() { return A.#q; } has(o) { return #p in o; } } const a = new A(); a.p = 5; return [a.p, a.x, a.m(), A.t(), A.q(), Object.keys(a)]; }
{ class A { #p = 1; get() { return this.#p; } } return new A().get.call({}); }
{ class A { constructor(x) { this.x = x; } toString() { return 'A' + this.x; } static of(x) { return new this(x); } } class B extends A { constructor(x) { super(x * 2); this.y = super.toString(); } get [Symbol.toStringTag]() { return 'BB'; } } const b = B.of(2); return [b.x, b.y, `${b}`, b instanceof A, b instanceof B, Object.getPrototypeOf(B) === A, b]; }
{ class A {} A(); }
{ class B extends Object { constructor() { this.x = 1; } } new B(); }
{ new (() => 1)(); }
{ class A extends null {} new A(); }
{ class A extends 5 {} }
{ class E extends Error { constructor(m, code) { super(m); this.name = 'E'; this.code = code; } } try { throw new E('x', 5); } catch (e) { return [e.name, e.message, e.code, e instanceof E, e instanceof Error, String(e)]; } }
{ const e = new Error('m', { cause: new TypeError('c') }); return [e.message, e.cause.name, String(e), String(new RangeError()), new Error().message, Object.keys(e), 'cause' in new Error('x')]; }
{ const e = new AggregateError([new Error('a'), 1], 'all'); return [e.errors.length, e.message, e.name, e instanceof Error]; }
[typeof new Error('x').stack, Error('x') instanceof Error, TypeError.name, Object.getPrototypeOf(TypeError) === Error, new SyntaxError('s').name, new URIError('u').name, new EvalError('e').name, new ReferenceError('r').name]
{ try { throw 1; } catch { return 'c'; } finally { 1; } }
{ const f = () => { try { return 'a'; } finally { return 'b'; } }; const g = () => { for (const x of [1, 2]) try { continue; } finally { if (x === 2) return x; } }; return [f(), g()]; }
{ const out = []; try { try { throw 1; } finally { out.push('f'); } } catch (e) { out.push(e); } return out; }
{ x; let x = 1; }
{ const x = 1; x = 2; }
{ let x = 1; { let x = 2; } const f = () => x; x = 3; return f(); }
{ const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); for (var j = 0; j < 3; j++) fs.push(() => j); return fs.map((f) => f()); }
{ var a = 1; var a; return [a, typeof b, typeof f]; var b; function f() {} }
{ switch (3) { case 1: return 'a'; default: case 2: return 'b'; case 4: return 'c'; } }
{ const out = []; switch ('b') { case 'a': out.push(1); case 'b': out.push(2); case 'c': out.push(3); break; default: out.push(4); } return out; }
{ const out = []; a: for (const i of [1, 2, 3]) { for (const j of [1, 2, 3]) { if (j === 2) continue a; if (i === 3) break a; out.push([i, j]); } } return out; }
{ let i = 0; do { i++; } while (i < 5); while (true) { if (i++ > 7) break; } return i; }
{ function* g(a) { const x = yield a; try { yield x + 1; } finally { yield 'f'; } return 'r'; } const it = g(1); return [it.next(), it.next(5), it.return('q'), it.next(), it.next()]; }
{ function* a() { yield 1; return 2; } function* b() { const r = yield* a(); yield r; yield* [3, 4]; } return [...b()]; }
{ const o = { *[Symbol.iterator]() { yield 1; yield 2; } }; const [a, b, c] = o; return [[...o], Math.max(...o), a, b, c, Array.from(o), new Set(o)]; }
{ const log = []; const it = { [Symbol.iterator]() { let n = 0; return { next: () => ({ value: n++, done: n > 5 }), return() { log.push('closed'); return {}; } }; } }; for (const x of it) if (x === 1) break; const [a] = it; return log; }
{ for (const x of 5) ; }
{ const [a] = null; }
{ const f = async () => { throw new TypeError('x'); }; try { await f(); } catch (e) { return e.name; } }
[await Promise.all([1, Promise.resolve(2)]), await Promise.allSettled([1, Promise.reject(2)]), await Promise.race([new Promise(() => {}), 5]), await Promise.any([Promise.reject(1), 2])]
{ try { await Promise.any([Promise.reject(1)]); } catch (e) { return [e.name, e.errors]; } }
await Promise.all([1, Promise.reject(new RangeError('x'))])
{ const out = []; const p = Promise.resolve().then(() => out.push(2)); out.push(1); await p; await Promise.resolve().then(() => { throw 3; }).catch((e) => out.push(e)).finally(() => out.push(4)); return out; }
{ const out = []; const f = async (n) => { out.push(n + 'a'); await null; out.push(n + 'b'); }; await Promise.all([f(1), f(2)]); return out; }
{ const out = []; await Promise.all([3, 1, 2].map(async (x) => { await x; out.push(x); return x; })); return out; }
{ const p = new Promise((a, b) => { a(1); b(2); a(3); }); return [await p, p instanceof Promise]; }
{ return await { then(a) { a('thenable'); } }; }
{ return await Promise.resolve({ then(a, b) { b(new Error('x')); } }); }
Promise.resolve(1).then(2).then((x) => x)
Promise()
new Promise()
{ const t = { a: 1, m() { return [1].map(() => this.a); } }; return t.m(); }
{ const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); return f(15); }
{ const memo = {}; const f = (n) => (memo[n] ??= n < 2 ? n : f(n - 1) + f(n - 2)); return f(60); }
{ const compose = (...fs) => (x) => fs.reduceRight((a, f) => f(a), x); return compose((x) => x + 1, (x) => x * 2)(5); }
[(() => 1).toString(), (function f(a) { return a; }).toString(), String(class A { m() {} }), (async (x) => x).toString()]
[((a, b = 1, ...c) => 1).length, (function () {}).name, (class { static name = 'n' }).name, ({ f() {} }).f.name, ({ get x() { return 1; } }).x, (() => { const q = () => 1; return q.name; })()]
{ let s = ''; for (const c of 'abc') s = c + s; for (const [k, v] of Object.entries({ a: 1 })) s += k + v; return s; }
{ const { a = 1, ...r } = { b: 2 }; let x, y; ({ x, y = 3 } = { x: 1 }); [x, y] = [y, x]; return [a, r, x, y]; }
[1, 2, 3].map((x) => ({ x })).map(({ x }) => x * 2)
((a, { b, c = 3 } = {}, [d] = [4]) => [a, b, c, d])(1, { b: 2 })
{ function f() { return new.target === f; } return [new f() instanceof f, f()]; }
{ const x = [1, 2, 3]; const { length, [length - 1]: last } = x; return last; }
[(1, 2), !1, !!'a', -'1', typeof typeof 1, void 1, 1 ? 2 : 3, null ?? 1, 0 || 2, 1 && 2, 0 ?? 1, (null || undefined) ?? 'd']
{ if (1) function f() {} }
{ label: { break label; } return 1; }
{ const date = await (async () => 5)(); return date; }
{ for await (const x of [Promise.resolve(1), 2]) if (x === 2) return x; }
{ var [x = 1, { y } = { y: 2 }] = []; return [x, y]; }
[..."ab", ...[1], ...new Set([2])]
