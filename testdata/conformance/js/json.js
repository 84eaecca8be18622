[JSON.stringify({ a: undefined, b: () => 1, c: Symbol('x'), d: null, e: NaN, f: Infinity, g: -0, h: [undefined, () => 1, Symbol('x')] })]
[JSON.stringify(undefined), JSON.stringify(() => 1), JSON.stringify(null), JSON.stringify('a"b\n\u2028\ud800'), JSON.stringify(new Date(0)), JSON.stringify([new Number(1), new String('s'), new Boolean(false)])]
[JSON.stringify({ a: [1, { b: 2 }] }, null, 2), JSON.stringify([], null, 2), JSON.stringify({}, null, 2), JSON.stringify([1], null, '--'), JSON.stringify([1], null, 20).length]
[JSON.stringify({ a: 1, b: 2, c: { a: 3, d: 4 } }, ['a', 'c']), JSON.stringify({ a: 1, b: 'x' }, (k, v) => (typeof v === 'number' ? v + 1 : v)), JSON.stringify({ 1: 1, b: 2 }, [1])]
[JSON.stringify({ toJSON() { return { x: 1 }; } }), JSON.stringify({ a: { toJSON: (k) => k } }), JSON.stringify(new Map([[1, 2]])), JSON.stringify(new Set([1])), JSON.stringify(Object.create({ a: 1 }))]
{ const o = {}; o.o = o; JSON.stringify(o); }
[JSON.parse('{"a":[1,2,{"b":null}],"c":"\\u0041\\n"}'), JSON.parse(' 1 '), JSON.parse('"x"'), JSON.parse('true'), JSON.parse('1e3'), JSON.parse('-0')]
JSON.parse('')
JSON.parse('{a:1}')
JSON.parse("{'a':1}")
JSON.parse('[1,]')
JSON.parse('01')
JSON.parse('"\n"')
JSON.parse('nul')
JSON.parse(undefined)
JSON.parse('{"a":1}}')
[JSON.parse('{"a":1,"a":2}'), JSON.parse('[1,{"a":2}]', (k, v) => (typeof v === 'number' ? v * 2 : v)), JSON.parse('{"a":1,"b":2}', (k, v) => (k === 'a' ? undefined : v))]
[Object.keys(JSON.parse('{"__proto__":1,"b":2}')), JSON.parse('{"b":1,"a":2,"1":3}'), JSON.parse('"\\ud83d\\ude00"')]
[JSON.stringify({ date: new Date(Date.UTC(2026, 0, 1)), re: /x/, err: new Error('x') }), JSON.stringify([NaN, -Infinity]), JSON.stringify({ [Symbol('a')]: 1 }), JSON.stringify('😀'), JSON.stringify(123456789012345680000)]
[String(JSON), typeof JSON, Object.keys(JSON), JSON.stringify.length, JSON.parse.length]
JSON.stringify(new Date(NaN))
{ JSON.stringify({ get a() { throw new RangeError('x'); } }); }
