return JSON.stringify({ a: box });
//! invalid "box is an object, not data"
---
// twin: raw
return JSON.stringify({ a: api.store });
//~> "HIDDEN"
