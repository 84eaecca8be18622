// exoagent checked its mark on direct calls only: [x].map(f) called any host
// function, with arguments that nobody checked.
const out = [];
for (const f of [() => [1].map(tasks.limit), () => ['a'].map(box.name), () => ['a'].reduce(box.put, 0), () => [1].find(box.put), () => Array.from([{}], box.name), () => 'a'.replace(/a/, box.put), () => [2, 1].sort(tasks.offset), () => JSON.stringify({ a: 1 }, box.put)]) {
  try { out.push(await f()); } catch (e) { out.push(e.kind); }
}
return out;
//=> ["invalid","invalid","invalid","invalid","invalid","invalid","invalid","invalid"]
---
// twin: raw
return ['PATH'].map(api.env);
//=> ["HIDDEN"]
