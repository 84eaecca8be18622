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
throw { code: 5 }  //! program ""
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
