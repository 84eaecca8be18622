// What fails inside the host says nothing of the host.
const out = [];
for (const m of ['fail', 'panic']) { try { await box[m](); } catch (e) { out.push(e.message, e.kind, String(e), Object.getOwnPropertyNames(e).includes('cause')); } }
return out;
//=> ["box.fail: internal error","internal","Error: box.fail: internal error",false,"box.panic: internal error","internal","Error: box.panic: internal error",false]
---
// twin: raw
try { await api.fail(); } catch (e) { return e.message; }
//~> "/etc/host/path: HIDDEN"
