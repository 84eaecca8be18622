// A stack names places of the program, not Go functions and files.
let out = '';
for (const f of [() => tasks.nope, () => tasks.where(() => { throw new Error('x'); }), () => JSON.stringify(tasks), () => [1].map(() => { null.x; }), () => new RegExp('(')]) {
  try { f(); } catch (e) { out += e.stack + '\n'; }
}
return out.includes('github.com') || out.includes('.go');
//=> false
---
// twin: raw
return String(api.fail) + api.fail.name;
//~> "github.com/exoagent/exoagent/exoeval_test."
