return (await org.join(tasks, ({ org, task }) => org.id.eq(1).or(org.id.ne(1))).execute()).length;
//=> 5
---
// twin: open
//=> 16
