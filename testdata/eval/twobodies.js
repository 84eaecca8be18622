// Functions whose bodies are compiled twice, and natives behind a guard, are JavaScript's.
const run = (name) => { const go = async () => { const r = name && await tasks.count(); return r }; return go() }; const h = { run }; return await h.run(1)  //=> 5
---
const h = { load: (x) => (async () => x ?? await tasks.count())() }; return await h.load(null)  //=> 5
---
const h = { all: (n) => [...(function* () { n > 0 && (yield 1) })()] }; return h.all(1)  //=> [1]
---
return [({ f: (x) => 1 }).f.name, new (class { g = () => 1 })().g.name, (() => { const h = (x) => x; return [h][0].name })()]  //=> ["f","g","h"]
---
let n = 0; const o = { valueOf() { n++; return 1 } }, two = 2; return [two == o, two != o, o == two, n]  //=> [false,true,false,3]
---
let n = 0; return [JSON.stringify({ get a() { return ++n }, b: 1 }, ['b', 'a']), n]  //=> ["{\"b\":1,\"a\":1}",1]
---
return JSON.stringify(Array.from({ length: 10001 }, (_, i) => ({ id: 1, n: i })), ['id']).length  //=> 90010
---
return [...new Map([{}])].length  //=> 1
---
// A function that asks for its own name has one self.
const own = Object.assign(function self(t) { return self.strict ? t.priority === 1 : t.id > 0 }, { strict: true }); return (await tasks.where({ f: own }.f).execute()).every((t) => t.priority === 1)  //=> true
---
// A function that has a name and is given away under another is recorded, too.
const f = (t) => t.done === true || t.id > 0, o = { f }; return (await tasks.where(o.f).execute()).length  //=> 5
