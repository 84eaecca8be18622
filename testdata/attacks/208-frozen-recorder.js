// Freezing, sealing and proxying by prototype.
const out = [];
const mine = Object.create(tasks);
for (const f of [() => Object.freeze(tasks), () => Object.preventExtensions(org), () => mine.where((t) => t.id.gt(0)).count(), () => { class X extends tasks.where {} ; new X(); }, () => structuredClone(tasks), () => Object.assign({}, tasks), () => ({ ...tasks })]) {
  try { const v = await f(); out.push(typeof v); } catch (e) { out.push('refused'); }
}
return [out.length, await tasks.where({ id: 2001 }).count()];
//=> [7,0]
---
// twin: raw
const mine = Object.create(api.store);
return mine.Secret;
//=> "HIDDEN"
