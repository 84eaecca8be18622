// cause and aggregated errors carry nothing of the host.
let seen;
try { await Promise.any([box.fail(), box.panic()]); } catch (e) { seen = [e.errors.map((x) => [x.message, typeof x.cause]), typeof e.cause]; }
return seen;
//=> [[["box.fail: internal error","undefined"],["box.panic: internal error","undefined"]],"undefined"]
---
// twin: raw
try { await api.fail(); } catch (e) { return typeof e.value; }
//=> "object"
