// Splitting and matching make another pattern, of what the receiver says it is.
const evil = { constructor: undefined, flags: 'g', toString: () => '(?=a)a' };
const out = [];
for (const f of [() => /a/[Symbol.split].call(evil, 'ab'), () => [.../a/[Symbol.matchAll].call(evil, 'ab')],
	() => { const r = /a/g; Object.defineProperty(r, 'constructor', { value: undefined }); return [...'ab'.matchAll(r)] }]) {
	try { f(); out.push('made') } catch (e) { out.push(e.message) }
}
return [out, 'a-b'.split(/-/), [...'a1b2'.matchAll(/\d/g)].map(m => m[0])];
//=> [["the method works only on a plain regular expression: write a literal, like /a/g","the method works only on a plain regular expression: write a literal, like /a/g","the method works only on a plain regular expression: write a literal, like /a/g"],["a","b"],["1","2"]]
---
// twin: raw
return /a/[Symbol.split].call({ constructor: undefined, flags: '', toString: () => '(?=a)a' }, 'bab');
//=> ["b","b"]
