// What an error is can't be rewritten: the host reads its own note, not the object.
try { tasks.nope; } catch (e) {
  try { e.kind = 'internal'; } catch (x) {}
  try { delete e.kind; } catch (x) {}
  try { Object.defineProperty(e, 'kind', { value: 'x' }); } catch (x) {}
  e.message = 'forged'; e.name = 'Forged'; e.stack = 'program:1:1';
  throw e;
}
//! denied "tasks has no member `nope`"
---
// twin: raw
try { await api.fail(); } catch (e) { e.message = 'forged'; throw e; }
//! program "forged"
