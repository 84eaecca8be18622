{ const o = { a: 1, 'b c': 2, [`d${1}`]: 3, 4: 5, get e() { return 6; }, f() { return 7; } }; return [Object.keys(o), o.e, o.f(), o['b c'], o[4]]; }
[Object.keys({ b: 1, a: 2, 1: 3, 0: 4 }), Object.values('ab'), Object.entries({ x: 1 }), Object.fromEntries(new Map([['a', 1]]))]
{ const { a, b: { c = 5 } = {}, ...rest } = { a: 1, d: 2, e: 3 }; return [a, c, rest]; }
[{ ...{ a: 1 }, b: 2, ...null, ...'hi', ...[9] }, Object.assign({}, { a: 1 }, null, { b: 2 }, 'x')]
{ const o = Object.freeze({ a: 1, b: {} }); try { o.a = 2; } catch (e) { o.b.c = 1; return [e.name, o, Object.isFrozen(o)]; } }
{ const o = Object.seal({ a: 1 }); o.a = 2; try { delete o.a; } catch (e) { return [e.name, o, Object.isSealed(o), Object.isExtensible(o)]; } }
{ const o = Object.preventExtensions({ a: 1 }); try { o.b = 1; } catch (e) { return e.name; } }
{ const o = {}; Object.defineProperty(o, 'x', { value: 1 }); return [o.x, Object.keys(o), Object.getOwnPropertyNames(o), Object.getOwnPropertyDescriptor(o, 'x')]; }
{ const o = Object.defineProperties({}, { a: { get: () => 1, enumerable: true }, b: { value: 2 } }); return [o, o.b, Object.getOwnPropertyDescriptors(o).b]; }
Object.defineProperty({}, 'x', { get() {}, value: 1 })
Object.defineProperty(1, 'x', {})
[Object.is(NaN, NaN), Object.is(0, -0), Object.is('a', 'a'), Object.is({}, {})]
[Object.hasOwn({ a: 1 }, 'a'), ({ a: 1 }).hasOwnProperty('b'), 'toString' in {}, Object.hasOwn('ab', 1)]
[delete { a: 1 }.a, typeof {}, typeof null, typeof undefined, typeof (() => 1), typeof Symbol(), void 0]
{ const o = { a: 1 }; delete o.a; return ['a' in o, o]; }
[Object.entries([7, 8]), Object.keys('ab'), Object.keys(5), Object.values({})]
Object.keys(null)
Object.entries(undefined)
{ const out = []; for (const k in { b: 1, a: 2, 2: 0, 1: 0 }) out.push(k); return out; }
{ const o = { a: { b: [1, { c: 2 }] } }; return [o?.a?.b?.[1]?.c, o.x?.y.z, o.x?.(), o.a.b[1]['c'], o.n ?? 'd', o.a?.b.length]; }
{ const o = {}; o.x.y; }
{ null.x; }
{ undefined(); }
{ const x = 1; x(); }
{ ({}).f(); }
{ const o = { toString() { return 's'; }, valueOf() { return 4; } }; return [o + 1, `${o}`, o * 2, o == 4, o > 3, [o] + '']; }
{ const o = { [Symbol.toPrimitive](h) { return h; } }; return [`${o}`, o + '', +o]; }
{ const o = { a: 1, get b() { return this.a + 1; }, set b(v) { this.a = v; } }; o.b = 5; return [o.a, o.b]; }
{ const o = { a: 1 }, p = Object.create(o, { b: { value: 2, enumerable: true } }); const ks = []; for (const k in p) ks.push(k); return [p.a, p.b, Object.keys(p), ks, Object.getPrototypeOf(p) === o, o.isPrototypeOf(p)]; }
{ const s = Symbol('d'), o = { [s]: 1, a: 2 }; return [o[s], Object.keys(o), Object.getOwnPropertySymbols(o).length, s.description, s.toString(), Symbol.for('x') === Symbol.for('x'), Symbol.keyFor(Symbol.for('x'))]; }
Symbol() + ''
new Symbol()
[String(Symbol('a')), typeof Symbol.iterator, Symbol.iterator.toString(), Object(Symbol('q')).description]
[{} == {}, {} + '', [] == false, null == 0, '' == 0, '0' == false, null === undefined, [1] == '1', ({}).toString()]
[({}).toString.call([]), ({}).toString.call(null), ({}).toString.call(undefined), ({}).toString.call(1), ({}).toString.call(''), ({}).toString.call(() => 1), ({}).toString.call(new Date()), ({}).toString.call(/x/), ({}).toString.call(new Map()), ({}).toString.call(Promise.resolve()), ({}).toString.call(Math), ({}).toString.call(JSON), ({}).toString.call(function () { return arguments; }())]
{ const a = { x: 1 }, b = a; b.x = 2; const c = { ...a }; c.x = 3; return [a.x, b.x, c.x]; }
[Object.fromEntries([['a', 1], ['a', 2]]), Object.fromEntries([])]
Object.fromEntries([1])
{ const o = { f: function () { return this === o; } }; return [o.f(), (0, o.f)()]; }
{ const { length } = 'abc'; const { 0: first, [1]: second } = ['x', 'y']; return [length, first, second]; }
{ const { a } = null; }
{ const [a] = {}; }
{ const f = ({ a = 1, b: { c } = { c: 2 } } = {}) => [a, c]; return [f(), f({ a: 5, b: { c: 6 } }), f({ a: null })]; }
[Object.getOwnPropertyNames('ab'), Object.getOwnPropertyNames(class { static s() {} }), Object.getOwnPropertyNames((a, b) => 1)]
{ const o = { b: 1, a: [1, { z: 1 }] }; const c = structuredClone(o); c.a[1].z = 2; return [o, c]; }
{ const a = {}; a.self = a; const c = structuredClone(a); return c.self === c; }
structuredClone(() => 1)
[structuredClone(new Date(5)), structuredClone(new Map([[1, { a: 1 }]])), structuredClone(new Set([1])), structuredClone([1, , 3].length), structuredClone(null), structuredClone(undefined)]
[Object.name, Object.length, Object.keys.name, Object.keys.length, Object(1) instanceof Number, Object('a') instanceof String, Object(null)]
{ const o = { if: 1, class: 2, new: 3, 'a-b': 4, default: 5 }; return o.if + o.class + o.new + o['a-b'] + o.default; }
{ const o = { async f() { return 1; }, *g() { yield 2; }, async: 3, get: 4, set: 5, static: 6, of: 7 }; return [await o.f(), [...o.g()], o.async, o.get, o.set, o.static, o.of]; }
