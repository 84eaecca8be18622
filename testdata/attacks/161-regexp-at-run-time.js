const out = [];
for (const f of [() => new RegExp('(a)\\1'), () => RegExp('(?=a)'), () => 'a'.match('(?!b)a'), () => 'a'.search('(a)\\1'), () => [...'a'.matchAll('(?<!b)a')], () => 'a'.replace(new RegExp('(?=a)', 'g'), 'b'), () => 'a'.split(new RegExp('(a)\\1'))]) {
  try { f(); out.push('ran'); } catch (e) { out.push(e.kind); }
}
return out;
//=> ["program","program","program","program","program","program","program"]
---
// twin: raw
return [new RegExp('(a)\\1').test('aa'), 'a'.search('(?=a)')];
//=> [true,0]
