const out = [];
for (const v of ['x'.repeat(1e6), { name: 'n'.repeat(1e6), message: 'm' }, ['y'.repeat(1e6)]]) {
  out.push(await (async () => { throw v; })().catch((e) => typeof e));
}
throw Object.assign(new Error('m'), { name: 'n'.repeat(1e6) });
//! program "nnn"
---
// twin: raw
throw 'x'.repeat(5000);
//! program "xxx"
