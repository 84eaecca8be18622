// More of JavaScript than exoagent admits: let, loops, try, classes, assignment.
let s = 0; for (let i = 0; i < 5; i++) { if (i === 2) continue; if (i === 4) break; s += i; } return s  //=> 4
---
let s = ''; for (const x of ['a', 'b']) s += x; for (const k in { c: 1 }) s += k; return s  //=> "abc"
---
let i = 0; while (true) { if (++i > 3) break; } do { i--; } while (i > 0); return i  //=> 0
---
try { JSON.parse('{'); } catch (e) { return e.name; } finally { console.log('done'); }
//log "done"
//=> "SyntaxError"
---
class A { #x = 1; get x() { return this.#x; } static make() { return new A(); } }
class B extends A { constructor() { super(); this.y = 2; } }
return [A.make().x, new B().y, new B() instanceof A]
//=> [1,2,true]
---
switch ('b') { case 'a': return 1; case 'b': case 'c': return 2; default: return 3; }  //=> 2
---
function* g() { yield 1; yield* [2, 3]; } return [...g()]  //=> [1,2,3]
---
throw new TypeError('no good')  //! program "TypeError: no good"
---
throw 'plain'  //! program "plain"
---
throw { code: 5 }  //! program "an object without a message; write throw new Error"
---
class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; } }
throw new MyError('own');
//! program "MyError: own"
---
var a = 1, b = 2; [a, b] = [b, a]; a ??= 5; b ||= 6; return [a, b]  //=> [2,1]
---
label: for (const a of [1, 2]) for (const b of [1, 2]) { if (b === 2) continue label; if (a === 2) break label; } return 'ok'  //=> "ok"
---
let x = 1; x++; x += 2; x **= 2; x <<= 1; return x  //=> 32
---
const o = { a: 1, get b() { return this.a + 1; }, m() { return this.b; } }; delete o.x; return [o.b, o.m(), void 0]  //=> [2,2,null]
---
const { a, ...rest } = { a: 1, b: 2 }; return { ...rest, c: [...[1, 2]] }  //=> {"b":2,"c":[1,2]}
---
// for await goes through lists of promises, through lists, and through queries.
const out = [];
for await (const n of [tasks.count(), 2, Promise.resolve(3)]) out.push(n);
for await (const { id } of tasks.where((t) => t.id > 1003)) out.push(id);
return out;
//=> [5,2,3,1004,1090]
---
let n = 0;
outer: for await (const a of [1, 2, 3]) { for await (const b of [a, 10]) { if (b === 2) continue outer; n += b; } if (n > 30) break; }
return n;
//=> 24
---
const log = [];
try { for await (const x of [Promise.resolve(1), Promise.reject(new Error('two')), 3]) log.push(x); } catch (e) { log.push(e.message); }
return log;
//=> [1,"two"]
---
let x, o = {}; for await (x of new Set([1, 2])); for await (o.y of [3]); for await (var [z] of [[4]]); return [x, o.y, z]
//=> [2,3,4]
---
// Unicode properties mean what they mean in JavaScript.
return ['Ωmega straße 日本 a1 é'.match(/\p{L}+/gu), 'aÉ9 _'.replace(/[^\p{L}\p{N}]/gu, '.'), /^\p{Script=Greek}$/u.test('Ω'), /^\p{Lu}\p{Ll}$/u.test('Éa'), /\P{L}/u.test('abc')]
//=> [["Ωmega","straße","日本","a","é"],"aÉ9..",true,true,false]
---
return [new RegExp('^\\p{Letter}+$', 'u').test('straße'), /^[\p{Alphabetic}\d]+$/u.test('é9'), /^\p{gc=Nd}$/u.test('٣'), /[\P{L}]/u.test('é'), /\p{White_Space}/u.test('\u00a0'), /^\p{ASCII}+$/u.test('é')]
//=> [true,true,true,false,true,false]
---
return '😀'.match(/\p{Emoji}/u)  //! syntax "as ranges"
---
return '😀x'.replace(/[\u{1F300}-\u{1FAFF}]/gu, '')  //=> "x"
---
return /\p{L}/.test('é')  //! syntax "needs the flag u"
---
return new RegExp('\\p{Greek}', 'u')  //! program "\\p{Script=Greek}"
---
return /\pL/u.test('p')  //! syntax "braces"
---
// A pattern that takes parts of a function names no function, which would be called as the program.
const { length: n } = (a, b) => a; return n  //=> 2
---
const [n] = [() => 1]; return n()  //=> 1
---
// A regular expression that the line ends in is refused: the parser would take it for an empty one and drop the line.
const r = /[a; return r
//! syntax "regular expression"
---
return /[a
//! syntax "regular expression"
