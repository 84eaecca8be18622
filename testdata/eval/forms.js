// A program is a function of the capabilities, or a body in which they are names.
(api) => api.tasks.count()  //=> 5
---
async ({ tasks }) => await tasks.count()  //=> 5
---
async function main(api) { return await api.tasks.count() }  //=> 5
---
function (api) { return api.org.first() }
//=> {"id":1,"name":"ACME org"}
---
const n = await tasks.count();
return n;
//=> 5
---
await tasks.count()  //=> 5
---
tasks.count()  //=> 5
---
```js
async (api) => api.tasks.count()
```
//=> 5
---
Here is the program:

```ts
return await tasks.count();
```
//=> 5
---
export default async (api) => api.tasks.count();  //=> 5
---
const main = async (api) => api.tasks.count();
//=> 5
---
async function main(api) { return api.tasks.count(); }
main();
//=> 5
---
const x = 1  //=> null
---
return undefined  //=> null
---
return  //=> null
---
'use strict'; return 1  //=> 1
---
// exoagent's own form, word for word.
(api) => api.org.join(({ org }) => org.projects()).join(({ project }) => project.tasks())
  .where(({ task }) => task.done['='](false))
  .select(({ task, project }) => ({ title: task.title, project: project.name }))
  .orderBy(({ task }) => task.id.asc()).limit(1).execute()
//=> [{"title":"ACME draw","project":"ACME rocket"}]
---
// and what it read from the answer.
async (api) => { const { results } = await api.tasks.orderBy((t) => t.id).limit(1).execute(); return results[0].id }
//=> 1001
