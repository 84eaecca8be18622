// exoagent: Date.now() round a query told whether foreign rows matched.
const a = Date.now(); await tasks.where((t) => t.id.gt(0)).execute(); const b = Date.now();
const t = new Date().getTime();
return [b - a, t - a, typeof performance];
//=> [0,0,"undefined"]
---
// twin: raw
const a = Date.now(); while (Date.now() === a); return Date.now() > a;
//=> true
