// exoagent checked its mark on direct calls only: [x].map(f) called any host
// function, with arguments that nobody checked.
const out = [];
for (const f of [() => [1].map(tasks.limit.bind(tasks)), () => ['a'].map(box.name.bind(box)), () => ['a'].reduce(box.put.bind(box), 0), () => [1].find(box.put.bind(box)), () => Array.from([{}], box.name.bind(box)), () => 'a'.replace(/a/, box.put.bind(box)), () => [2, 1].sort(tasks.offset.bind(tasks)), () => JSON.stringify({ a: 1 }, box.put.bind(box))]) {
  try { out.push(await f()); } catch (e) { out.push(e.kind); }
}
return out;
//=> ["invalid","invalid","invalid","invalid","invalid","invalid","invalid","invalid"]
---
// twin: raw
return ['PATH'].map(api.env);
//=> ["HIDDEN"]
