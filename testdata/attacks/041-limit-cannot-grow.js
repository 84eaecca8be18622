return (await top.limit(100).select((t) => ({ id: t.id })).execute());
//=> [{"id":1004},{"id":1002}]
---
// twin: open
//~> "{\"id\":2090}"
