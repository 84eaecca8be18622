const out = [];
for (const x of ['a\u0000b', '\ud800', 'x\udfffy', '\udc00\ud800']) {
  try { tasks.where({ title: x }); out.push(x.length); } catch (e) { if (e.kind !== 'invalid') out.push(e.kind); }
}
return out;
//=> []
---
// twin: raw
return api.same('\ud800') === '\ufffd';
//=> true
