// Literals, names, members, calls.
return [1, 'a', true, null, undefined, 1.5, -0, 1e21, [], {}]  //=> [1,"a",true,null,null,1.5,0,1e21,[],{}]
---
const o = { a: 1, ['b' + 1]: 2, 'c d': 3 }; return [o.a, o['b1'], o['c d'], o.x]  //=> [1,2,3,null]
---
return [!1, !'', !!'a', typeof 1, typeof 'a', typeof {}, typeof undefined, typeof null, typeof (() => 1), typeof undeclared]
//=> [false,true,true,"number","string","object","undefined","object","function","undefined"]
---
const f = (a, { b, c: [d] }, ...rest) => [a, b, d, rest]; return f(1, { b: 2, c: [3] }, 4, 5)  //=> [1,2,3,[4,5]]
---
const f = function (a = 1, { b = 2 } = {}, [c = 3] = []) { return a + b + c; }; return [f(), f(10), f(1, { b: 1 }, [1])]  //=> [6,15,3]
---
const [a, , b = 5, ...c] = [1, 2, undefined, 3, 4]; return [a, b, c]  //=> [1,5,[3,4]]
---
const { a, b: { c }, ['d' + 1]: d, ...rest } = { a: 1, b: { c: 2 }, d1: 3, e: 4 }; return [a, c, d, rest]  //=> [1,2,3,{"e":4}]
---
const x = 1; { const x = 2; } return x  //=> 1
---
const f = (n) => { if (n > 0) return 'pos'; if (n < 0) { return 'neg'; } return 'zero'; }; return [f(1), f(-1), f(0)]  //=> ["pos","neg","zero"]
---
const seen = []; const f = (x) => { seen.push(x); return x; };
const a = true ? f(1) : f(2), b = false || f(3), c = f(0) && f(4), d = null ?? f(5), e = f(6) ?? f(7);
return [a, b, c, d, e, seen]
//=> [1,3,0,5,6,[1,3,0,5,6]]
---
return [1 + 2, '1' + 2, 5 - 2, 2 * 3, 7 / 2, 7 % 4, 2 ** 10, 1 << 4, -16 >> 2, -1 >>> 28, 5 & 3, 5 | 3, 5 ^ 3, ~5]  //=> [3,"12",3,6,3.5,3,1024,16,-4,15,1,7,6,-6]
---
return [1 == '1', 1 === '1', null == undefined, null === undefined, 'b' > 'a', 2 <= 2, NaN === NaN]  //=> [true,false,true,false,true,true,false]
---
const n = 2; return [`a`, `${n}`, `a${n}b${n}c`, `${true}${null}${undefined}`, ``, `${`in ${n}`}`]  //=> ["a","2","a2b2c","truenullundefined","","in 2"]
---
let n = 0; const f = () => { n++; return 1; };
const u = undefined, o = { m() { return 7; } };
return [u?.a, u?.[f()], u?.a(f()), o?.m(), o.x?.(f()), o?.['m'](), n]
//=> [null,null,null,7,null,7,0]
---
undefined.x  //! program "Cannot read property"
---
null.x()  //! program "TypeError"
---
nothing  //! syntax "nothing"
---
const a = 1; a = 2; return a  //! syntax "`a` is a const"
---
return [...'héllo', ...new Set([1, 1])].length  //=> 6
