return (await tasks.join(({ task }) => task.assignee()).select(({ task, member }) => ({ t: task.id, m: member.id })).execute());
//=> [{"t":1001,"m":11},{"t":1002,"m":12},{"t":1004,"m":12}]
---
// twin: open
//~> "{\"t\":1090,\"m\":21}"
