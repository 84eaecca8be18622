// Freezing, sealing and proxying by prototype.
const out = [];
const mine = { __proto: tasks }.__proto;
for (const f of [() => Object.create(tasks), () => Object.freeze(tasks), () => Object.preventExtensions(org), () => mine.where((t) => t.id.gt(0)).count(), () => { class X extends tasks.where {} ; new X(); }, () => structuredClone(tasks), () => Object.assign({}, tasks), () => ({ ...tasks })]) {
  try { const v = await f(); out.push(typeof v); } catch (e) { out.push('refused'); }
}
return [out.length, await tasks.where({ id: 2001 }).count()];
//=> [8,0]
---
// twin: raw
const mine = Object.create(api.store);
return mine.Secret;
//=> "HIDDEN"
