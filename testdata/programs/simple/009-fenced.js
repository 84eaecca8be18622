// Show the three todos that I created last.

```js
(api) => api.currentUser
  .todos()
  .orderBy(({ todo }) => todo.createdAt.desc())
  .limit(3)
  .select(({ todo }) => ({ title: todo.title, createdAt: todo.createdAt }))
  .execute()
```

//=> [
//  {"title":"Water the plants","createdAt":"2026-03-06T06:30:00.000Z"},
//  {"title":"Pay the 100% deposit_fee","createdAt":"2026-03-05T14:20:00.000Z"},
//  {"title":"Renew the passport","createdAt":"2026-03-03T10:00:00.000Z"}
// ]
