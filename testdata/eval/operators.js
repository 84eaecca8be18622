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
tasks.where((t) => t.done ? true : false)  //! invalid "`?:` can't decide"
---
tasks.where((t) => { if (t.done) return t.id.gt(0); return t.id.gt(1); })  //! invalid "`if` and loops can't decide"
---
tasks.where((t) => `${t.title}` === 'x')  //! invalid "a template can't hold"
---
tasks.where((t) => t.done > true)  //! invalid "`>` can't be used"
---
tasks.where((t) => t.title - 1)  //! invalid "can't be used with"
---
tasks.where((t) => t === null)  //! invalid "can't be used with"
---
tasks.where((t) => t.nope === 1)  //! denied "no member `nope`"
