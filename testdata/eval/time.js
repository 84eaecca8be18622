// A time or a day is truncated to a day, which is the same for everybody.
return await tasks.orderBy(t => t.id).select(t => ({ due: t.dueAt, day: t.dueAt.truncate('day'), week: t.dueAt.truncate('week'), month: t.dueAt.truncate('month'), quarter: t.dueAt.truncate('quarter'), year: t.dueAt.startOf('year') }))
//=> [{"due":"2026-01-02T03:04:05.000Z","day":"2026-01-02","week":"2025-12-29","month":"2026-01-01","quarter":"2026-01-01","year":"2026-01-01"},{"due":"2026-01-02T03:04:05.000Z","day":"2026-01-02","week":"2025-12-29","month":"2026-01-01","quarter":"2026-01-01","year":"2026-01-01"},{"due":null,"day":null,"week":null,"month":null,"quarter":null,"year":null},{"due":"2025-12-31T23:59:59.999Z","day":"2025-12-31","week":"2025-12-29","month":"2025-12-01","quarter":"2025-10-01","year":"2025-01-01"},{"due":"2026-06-01T00:00:00.000Z","day":"2026-06-01","week":"2026-06-01","month":"2026-06-01","quarter":"2026-04-01","year":"2026-01-01"}]
---
// It is a key of groups, in conditions and in orders.
return [
  await tasks.groupBy(t => ({ month: t.dueAt.truncate('month') })).select(g => ({ ...g, n: g.count() })),
  await tasks.groupBy(t => ({ quarter: t.dueAt.truncate('quarter') })).where(g => g.quarter !== null).orderBy(g => g.quarter.desc()).select(g => ({ ...g, n: g.count() })),
  await tasks.where(t => t.dueAt.truncate('month') === '2026-01-01').count(),
  (await tasks.where(t => t.dueAt !== null).orderBy(t => [t.dueAt.truncate('year').desc(), t.id]).select(t => ({ id: t.id }))).map(t => t.id),
]
//=> [[{"month":null,"n":1},{"month":"2025-12-01","n":1},{"month":"2026-01-01","n":2},{"month":"2026-06-01","n":1}],[{"quarter":"2026-04-01","n":1},{"quarter":"2026-01-01","n":2},{"quarter":"2025-10-01","n":1}],2,[1001,1002,1090,1004]]
---
// Parts beyond those that are declared.
return await tasks.where(t => t.dueAt !== null).orderBy(t => t.id).select(t => ({ quarter: t.dueAt.quarter(), week: t.dueAt.week(), month: t.dueAt.getMonth() }))
//=> [{"quarter":1,"week":1,"month":0},{"quarter":1,"week":1,"month":0},{"quarter":4,"week":1,"month":11},{"quarter":2,"week":23,"month":5}]
---
// Times are subtracted as JavaScript does it, in milliseconds; of days there is the number between them.
const now = new Date();
return await tasks.where(t => t.dueAt !== null).orderBy(t => t.id).select(t => ({ left: (t.dueAt - now) / 86400000, since: now - t.dueAt, days: t.dueAt.daysSince(now), inMonth: t.dueAt.truncate('day').daysSince(t.dueAt.truncate('month')) }))
//=> [{"left":-0.00000784722222222222,"since":678,"days":0,"inMonth":1},{"left":-0.00000784722222222222,"since":678,"days":0,"inMonth":1},{"left":-1.1278435069444444,"since":97445679,"days":-2,"inMonth":30},{"left":149.87215650462963,"since":-12948954322,"days":150,"inMonth":0}]
---
return await tasks.where(t => t.dueAt - new Date() < 0).count()
//=> 3
---
return await tasks.select(t => ({ x: t.dueAt.truncate('hour') }))
//! invalid "the unit must be one of 'day', 'week', 'month', 'quarter', 'year'"
---
return await tasks.select(t => ({ x: t.dueAt.truncate(t.title) }))
//! invalid "the unit must be a value of the program, neither"
---
return await tasks.select(t => ({ x: t.dueAt.truncate() }))
//! invalid "needs the unit"
