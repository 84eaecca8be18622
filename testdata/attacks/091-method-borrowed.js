// A method acts on what it is called on, and does there what that object's own
// would do: on another kind of object that has none of its name it is refused.
const rows = await people.execute.call(org);
const out = [Object.keys(rows[0]), rows.length, (await people.where.call(tasks, (t) => t.id.eq(1001)).execute()).length];
const { execute } = people;
for (const f of [
  () => people.where.call(org, (t) => t.title === ''),
  () => people.execute.call(box), () => people.execute.call({ ...people }), () => people.execute.call(Object.create(org)),
  () => box.put.call(tasks, 1), () => box.put.apply(undefined, [1]), () => box.put.call(people.execute, 1),
  () => execute(), () => [org].map(people.execute), () => tasks.limit.call(api, 1),
  () => tasks.where((t) => people.execute.call(t.project())),
]) {
  try { await f(); out.push('done'); } catch (e) { out.push(e.kind); }
}
return out;
//=> [["id","name"],1,1,"denied","denied","invalid","invalid","denied","invalid","invalid","invalid","invalid","invalid","invalid"]
---
// twin: raw
const f = function () { return Object.keys(this); };
return f.call({ reached: 1 });
//=> ["reached"]
