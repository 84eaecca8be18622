// An error has the line and column of the program as it was written.
const a = 1;
const b = null;
return b.c;
//at 4:10
//! program "TypeError"
---
return tasks
  .where((t) => t.done.eq(false))
  .orderBy((t) => t.nope);
//at 3:21
//! denied "nope"
---
const f = () => {
  throw new Error('deep');
};
f();
//at 2:9
//! program "deep"
---
(api) => {
  return api.tasks.where({ nope: 1 });
}
//at 2:25
//! denied "nope"
---
let x = ;
//at 1:9
//! syntax ""
---
const ok = 1;
eval('1');
//at 2:1
//! syntax "eval"
---
await box.put(1);
await box.fail();
//at 2:15
//! internal ""
---
```js
return (
  nope
);
```
//at 3:3
//! syntax "nope"
