// Data that the host gives back can have a `then`: it is text, not a promise.
const k = 'th' + 'en';
try { const v = await box.put({ [k]: 'text' }); return v; } catch (e) { return e.kind; }
//=> {"then":"text"}
---
// twin: raw
return await api.same({ then: (f) => f('called') });
//=> "called"
