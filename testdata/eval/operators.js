// JavaScript's own operators in the callbacks of describing methods.
return (await tasks.where((t) => t.done === false && t.priority > 2 && t.status === 'open').execute()).map((t) => t.id)  //=> [1001,1004]
---
return await tasks.where((t) => t.priority >= 5 || t.done).count()  //=> 3
---
return await tasks.where((t) => !t.done).count()  //=> 4
---
return await tasks.where((t) => !(t.priority < 3)).count()  //=> 3
---
return await tasks.where((t) => t.dueAt === null).count()  //=> 1
---
return await tasks.where((t) => t.dueAt !== null).count()  //=> 4
---
return await tasks.where((t) => t.dueAt == undefined || t.id != 1001).count()  //! invalid "undefined"
---
// !== is JavaScript's: null is not equal to something.
return [await tasks.where((t) => t.dueAt !== '2026-06-01').count(), await tasks.where((t) => t.dueAt.ne('2026-06-01')).count()]  //=> [4,3]
---
// The plain operand on the left.
return [await tasks.where((t) => 3 <= t.priority).count(), await tasks.where((t) => 3 > t.priority).count(), await tasks.where((t) => null === t.dueAt).count()]  //=> [3,2,1]
---
// Plain and column operands mixed: short circuits as in JavaScript.
const only = false;
return await tasks.where((t) => only || t.done).count()  //=> 1
---
const q = '';
return await tasks.where((t) => (q && t.title === q) || t.priority === 5).count()  //=> 2
---
const min = null;
return await tasks.where((t) => t.priority > (min ?? 4)).count()  //=> 2
---
const open = true;
return await tasks.where((t) => (open ? t.done === false : t.done === true)).count()  //=> 4
---
const n = 2;
return await tasks.where((t) => t.priority === n + 1).count()  //=> 1
---
const name = 'draw';
return await tasks.where((t) => t.title === `ACME ${name}`).count()  //=> 1
---
// A function of the program that the callback calls records, too.
const same = (a, b) => a === b;
return await tasks.where((t) => same(t.done, false)).count()  //=> 4
---
// A side that is not needed is not evaluated.
let n = 0; const f = (t) => { n++; return t.done; };
await tasks.where((t) => false && f(t) || t.id > 0).count();
return n;
//=> 0
---
// Columns with columns.
return await org.members().join(({ member }) => member.assignedTasks()).where(({ member, task }) => member.id < task.id).count()  //=> 3
---
return await org.members().join(people, ({ member, person }) => member.id === person.id).count()  //=> 2
---
// An operator that records does so only inside; outside, columns have no value.
tasks.where((t) => { if (t.done) return t.id.gt(0); return t.id.gt(1); })  //! invalid "`if` and loops can't decide"
---
tasks.where((t) => `${t}` === 'x')  //! invalid "a template can't contain"
---
tasks.where((t) => t.done > true)  //! invalid "`>` can't be used"
---
tasks.where((t) => t.title - 1)  //! invalid "can't be used with"
---
tasks.where((t) => t === null)  //! invalid "can't be used with"
---
tasks.where((t) => t.nope === 1)  //! denied "no member `nope`"
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.done ? 'yes' : 'no' })).execute()).map((r) => r.x)  //=> ["no","no","yes","no"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.priority > 2 ? t.title : null })).execute()).map((r) => r.x)  //=> ["ACME draw","ACME build",null,"ACME plant"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.done ? 0 : t.priority > 2 ? 2 : 1 })).execute()).map((r) => r.x)  //=> [2,2,0,2]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.dueAt ?? null })).execute()).map((r) => r.x)  //=> ["2026-01-02T03:04:05.000Z","2026-01-02T03:04:05.000Z",null,"2025-12-31T23:59:59.999Z"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: `${t.title}!` })).execute()).map((r) => r.x)  //=> ["ACME draw!","ACME build!","ACME test!","ACME plant!"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: `#${t.id}: ${t.title}` })).execute()).map((r) => r.x)  //=> ["#1001: ACME draw","#1002: ACME build","#1003: ACME test","#1004: ACME plant"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: `${t.id}` })).execute()).map((r) => r.x)  //=> ["1001","1002","1003","1004"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.title + ' (' + t.status + ')' })).execute()).map((r) => r.x)  //=> ["ACME draw (open)","ACME build (doing)","ACME test (done)","ACME plant (open)"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: '- ' + t.title })).execute()).map((r) => r.x)  //=> ["- ACME draw","- ACME build","- ACME test","- ACME plant"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.priority + 1 })).execute()).map((r) => r.x)  //=> [4,6,2,6]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: 10 - t.priority })).execute()).map((r) => r.x)  //=> [7,5,9,5]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.priority * 2 - 1 })).execute()).map((r) => r.x)  //=> [5,9,1,9]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: -t.priority })).execute()).map((r) => r.x)  //=> [-3,-5,-1,-5]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: 100 / t.priority })).execute()).map((r) => r.x)  //=> [33.333333333333336,20,100,20]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: 7 % t.priority })).execute()).map((r) => r.x)  //=> [1,2,0,2]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: Math.abs(t.priority - 3) })).execute()).map((r) => r.x)  //=> [0,2,2,2]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: Math.round(t.priority / 2) })).execute()).map((r) => r.x)  //=> [2,3,1,3]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: Math.floor(t.priority / 2) })).execute()).map((r) => r.x)  //=> [1,2,0,2]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: String(t.priority) })).execute()).map((r) => r.x)  //=> ["3","5","1","5"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.title.length })).execute()).map((r) => r.x)  //=> [9,10,9,10]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: ['open', 'done'].includes(t.status) })).execute()).map((r) => r.x)  //=> [true,false,true,true]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: new Set([1001, 1002]).has(t.id) })).execute()).map((r) => r.x)  //=> [true,true,false,false]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: 2 + t.priority })).execute()).map((r) => r.x)  //=> [5,7,3,7]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.id + ' ' + t.title })).execute()).map((r) => r.x)  //=> ["1001 ACME draw","1002 ACME build","1003 ACME test","1004 ACME plant"]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: !!t.done })).execute()).map((r) => r.x)  //=> [false,false,true,false]
---
return (await tasks.where((t) => t.id < 1005).orderBy((t) => t.id).select((t) => ({ x: t.done && t.priority > 1 ? 'a' : 'b' })).execute()).map((r) => r.x)  //=> ["b","b","b","b"]
---
const wanted = ['open', 'doing'];
return await tasks.where((t) => wanted.includes(t.status)).count()  //=> 4
---
return await tasks.where((t) => !new Set(['open']).has(t.status) && t.priority + 1 > 1).count()  //=> 2
---
return await tasks.where((t) => (t.done ? t.priority : 10 - t.priority) > 5).count()  //=> 2
---
return (await tasks.orderBy((t) => -t.priority).first()).priority  //=> 5
---
return await tasks.where((t) => `${t.status}:${t.priority}` === 'open:3').count()  //=> 1
---
return await tasks.where((t) => t.title.length > 9 && t.title.toLowerCase() === 'acme draw'.slice(0)).count()  //=> 0
---
return await tasks.where((t) => ['open', 'open'].some((s) => s === t.status)).count()  //=> 3
---
return await tasks.where((t) => [].some((s) => s === t.status) || ![1, 2].every((n) => t.priority > n)).count()  //=> 2
---
return await tasks.where((t) => [1, 2].every((n) => t.priority > n) && t.id > 0).count()  //=> 3
---
tasks.where((t) => ['open'].find((s) => s === t.status))  //! invalid "write ['open'].some((s) => s === t.status) alone"
---
tasks.where((t) => Boolean(t.title))  //! invalid "column !== null"
---
tasks.where((t) => typeof t.title === 'string')  //! invalid "leave the test out, since its type never changes"
---
tasks.where((t) => { switch (t.status) { case 'open': return t.done; } return t.id > 0; })  //! invalid "`switch` can't decide"
---
tasks.where((t) => /draw/.test(t.title))  //! invalid "column.like"
---
return await tasks.where((t) => Math.max(t.priority, 3) > 3).count()  //=> 2
---
tasks.where((t) => Math.max(t.title, 1) > 0)  //! invalid "`Math.max` takes numbers"
---
tasks.where((t) => Math.max(t.priority) > 0)  //! invalid "Math.abs"
---
tasks.where((t) => t.title || 'x')  //! invalid "use ??"
---
// Comparisons in a row would be grouped to the right, which is another value.
return 1 < 2 < 3
//! syntax "can't be chained"
---
const x = 5; return tasks.where((t) => 1 <= t.priority < 5)
//! syntax "a < b && b < c"
---
return [(1 < 2) < 3, 1 < 2 && 2 < 3, 'a' in { a: 1 } === true, 1 < 2 === true]  //=> [true,true,true,true]
---
return 'aa'.matchAll(/a/)  //! program "flag g"
---
return tasks.where((t) => t.title === /a/)  //! invalid "a regular expression can't be passed on as data"
---
return tasks.where({ title: new RegExp('a') })  //! invalid "a regular expression can't be passed on as data"
---
return tasks.where((t) => t.title === new Error('a'))  //! invalid "an error can't be passed on as data"
---
return tasks.where((t) => t.title === new WeakMap())  //! invalid "got an object"
---
return tasks.where((t) => t.title === ({ toJSON: () => 'a' }))  //! invalid "the object has a function toJSON"
---
return tasks.where((t) => t.title.in(Object.assign(['a'], { toJSON: () => ['b'] })))  //! invalid "the object has a function toJSON"
---
return tasks.where((t) => t.done === new Boolean(false))  //! invalid "write false"
