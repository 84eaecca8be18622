let n = 0;
const list = [1001]; Object.defineProperty(list, 1, { get() { n++; return n > 1 ? {} : 1002; }, enumerable: true });
try { return (await tasks.where((t) => t.id.in(list)).execute()).length; } catch (e) { return e.kind; }
//=> "invalid"
---
// twin: raw
let n = 0;
const o = { get x() { return ++n; } };
return [o.x, o.x];
//=> [1,2]
