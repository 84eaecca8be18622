// A host function's name and text are Go's in goja.
const seen = [box.put, tasks.where, console.log, tasks.toString, RegExp, structuredClone].map((f) => {
  let s = '';
  for (const read of [() => f.name, () => String(f), () => (() => 1).toString.call(f), () => f.nope]) try { s += read(); } catch (e) { s += e.message; }
  return s;
}).join();
return /github|exoeval|\.go|func\d/.test(seen) ? seen : 'nothing';
//=> "nothing"
---
// twin: raw
return api.env.name;
//~> "exoeval_test"
