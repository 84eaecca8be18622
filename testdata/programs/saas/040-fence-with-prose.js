// Show the estimate of "Lay the main pipe".
// as: 2

Here is the program:

```javascript
async (api) => {
  const task = await api.organization.projects().tasks().where({ title: 'Lay the main pipe' }).first();
  return task.estimate;
}
```

//=> 32
