// The same name in nested callbacks of different queries: each means its own row.
return await org
  .join(({ org }) => org.projects().as('x').join(({ x }) => x.org().as('y')))
  .where(({ x, y }) => x.id.gt(0).and(y.id.gt(0)))
  .select(({ org, y }) => ({ a: org.id, b: y.id }))
  .execute();
//=> [{"a":1,"b":1},{"a":1,"b":1},{"a":1,"b":1}]
---
// twin: open
//~> "{\"a\":2,\"b\":2}"
