// The names of the grants can't be taken over for what comes later in the program.
const out = [];
for (const f of [() => { api.tasks = 1; }, () => { delete api.org; }, () => { Object.defineProperty(api, 'org', { value: 1 }); }, () => { Object.assign(api, { tasks: 1 }); }]) {
  try { f(); out.push('ok'); } catch (e) { out.push(e.name); }
}
return [out, (await api.tasks.execute()).length, (await org.first()).id];
//=> [["TypeError","TypeError","TypeError","TypeError"],5,1]
---
// twin: raw
api.store = 'replaced';
return api.store;
//=> "replaced"
