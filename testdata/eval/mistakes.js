// What a model gets wrong, and what it reads then: the place, what was wrong, what is right.
// A plain boolean is no condition; the error names the columns that were read.
tasks.where((t) => (t.done, false))  //! invalid "it read `task.done`"
---
tasks.where((t) => Object.is(t.done, false))  //! invalid "task.done is a column of the database and has no value in the program"
---
tasks.where(() => 1 > 2)  //! invalid "it read no column"
---
// What was refused can't be caught away: the condition would be shorter.
tasks.where((t) => { let r = t.id > 0; try { r = r && new Date(t.dueAt) < new Date('2026-01-03') } catch {} return r })  //! invalid "it has that type already: write task.dueAt"
---
// A method is made once, and acts on what it is called on.
const f = tasks.where; return f((t) => t.done)  //! invalid "tasks.where: was separated from its object: write tasks.where(…)"
---
const o = { f(t) { return t.assignee && t.done } }; return tasks.where(o.f)  //! invalid "task.assignee is a link: call it"
---
// A body that is compiled twice is still the body of its function.
const o = { f: (x) => { let x = 1; return x } }; return o.f(2)  //! syntax "already been declared"
---
// A result that is made and not used would be dropped.
tasks.where((t) => { t.done.eq(false); return t.id.gt(0); })  //! invalid "is not used"
---
tasks.where((t) => { t.done === false; return t.id > 0; })  //! invalid "is not used"
---
tasks.where((t) => (t.done.eq(false), t.id.gt(0)))  //! invalid "is not used"
---
return await tasks
  .where((t) => t.titel === 'x')
  .count();
//at 2:19
//! denied "did you mean `title`"
---
return await task.count()  //! syntax "did you mean the granted object `tasks`"
---
return await api.taks.count()  //! denied "did you mean `tasks`"
---
return await tasks.wher((t) => t.done)  //! denied "did you mean `where`"
---
tasks.flatMap((t) => t.title)  //! denied "(await tasks.execute()).flatMap"
---
for (const t of tasks) console.log(t)  //! invalid "has not run yet"
---
return tasks.length  //! denied "is for arrays"
---
return JSON.stringify(tasks)  //! invalid "has not run yet"
---
return { list: box }  //! invalid "the result's list: box is an object, not data"
---
const rows = tasks.execute(); return rows.map((r) => r.id)  //! invalid ""
---
return await box.put({ n: tasks.count() })  //! invalid "not awaited"
---
return await box.put({ list: tasks })  //! invalid ""
---
tasks.where((t) => t.status === 'closed')  //! invalid "one of 'open', 'doing', 'done'"
---
tasks.where((t) => t.priority === 'high')  //! invalid "high"
---
tasks.where((t) => t.dueAt < 'tomorrow')  //! invalid "a date"
---
tasks.where(async (t) => t.done)  //! invalid "must not be async"
---
tasks.where((t) => {})  //! invalid "returned nothing"
---
tasks.where({})  //! invalid "the filter is empty"
---
tasks.where({ nope: 1 })  //! denied "no member `nope`"
---
tasks.where()  //! invalid "needs"
---
tasks.select((t) => [t.title])  //! invalid "must be a column, an object like"
---
tasks.select((t) => ({}))  //! invalid "must be a column, an object like"
---
tasks.select(() => ({ a: 1, a2: Symbol('x') }))  //! invalid "symbol"
---
tasks.orderBy((t) => t)  //! invalid "a column, or an order"
---
tasks.orderBy((t) => [])  //! invalid "got a list"
---
tasks.limit()  //! invalid "needs"
---
tasks.limit(1.5)  //! invalid "whole number"
---
tasks.execute(1)  //! invalid "takes no arguments"
---
(await tasks.execute())[99].id  //! program "Cannot read property"
---
org.join(({ org }) => org.projects()).where((x) => x.name === 'a')  //! denied "write org.name"
---
tasks.count().where((t) => t.done)  //! invalid "`where`"
---
const [first] = await tasks.execute(); return first.project()  //! program "belong to a query"
---
setTimeout(() => 1, 0)  //! syntax "setTimeout"
---
fetch('http://x')  //! syntax "fetch"
---
process.env  //! syntax "process"
---
const fs = require('fs')  //! syntax "no modules"
---
const rows = tasks.execute();
return rows.map((t) => t.id)  //! invalid "tasks.execute() was not awaited: `map` is a member of what the promise gives; write (await tasks.execute()).map"
---
for (const t of tasks.execute()) return t  //! invalid "tasks.execute() was not awaited: it is a promise, which has no value yet; write (await tasks.execute())"
---
const p = Promise.resolve(1);
return 'map' in p  //! invalid "Promise.resolve(…) was not awaited"
