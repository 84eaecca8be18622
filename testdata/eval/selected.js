// After select a callback has what it named besides the tables: conditions and orders are about the expression.
return [
  await tasks.select(t => ({ id: t.id, twice: t.priority * 2 })).where(x => x.twice > 6).orderBy(x => [x.twice.desc(), x.id]),
  await tasks.select(t => ({ id: t.id, n: t.comments().count() })).where(({ n }) => n > 1).orderBy(({ task }) => task.id),
  await tasks.select(t => ({ who: t.assignee().name })).distinct().where(x => x.who !== null).orderBy(x => x.who.desc()),
  await tasks.groupBy(t => t.status).select(g => ({ s: g.status, total: g.sum(t => t.priority) })).where(x => x.total > 4).orderBy(x => x.total),
  await tasks.select(t => ({ id: t.id, twice: t.priority * 2 })).orderBy(x => x.twice).limit(2).where(x => x.twice > 2).count(),
  await tasks.select(t => ({ n: t.priority + 1 })).select(x => ({ m: x.n * 10 })).where(x => x.m === 60).count(),
  await org.projects().join(({ project }) => project.tasks()).select(({ project, task }) => ({ label: project.name.concat(': ', task.title) })).where(x => x.label.includes('garden: ACME plant')),
  await people.where(p => p.id.in(tasks.select(t => ({ of: t.assignee().id, twice: t.priority * 2 })).where(x => x.twice > 6).select(x => x.of))).select(p => p.id),
]
//=> [[{"id":1002,"twice":10},{"id":1004,"twice":10}],[{"id":1001,"n":2},{"id":1002,"n":2}],[{"who":"ACME bob"},{"who":"ACME ann"}],[{"s":"doing","total":5},{"s":"open","total":10}],1,2,[{"label":"ACME garden: ACME plant"}],[12]]
---
// A column that select calls something else is neither: JavaScript would read what select shows.
return await tasks.select(t => ({ title: t.title.lower() })).where(t => t.title.includes('draw') || t.title.includes('acme')).count()
//! invalid "choose another name in select, or write this call before select"
---
return await tasks.where(t => t.title.includes('draw') || t.title.includes('acme')).select(t => ({ title: t.title.lower() })).count()
//=> 1
---
return await tasks.select(t => ({ twice: t.priority * 2 })).where(x => x.thrice > 6)
//! denied "has no member `thrice`"
---
return await tasks.select(t => ({ twice: t.priority * 2 })).groupBy(x => x.twice).count()
//=> 4
---
return await tasks.select(t => ({ twice: t.priority * 2 })).sum(x => x.twice)
//=> 32
---
return await tasks.select(t => ({ p: { twice: t.priority * 2 } })).where(x => x.p.twice > 1)
//! denied "has no member `p`"
