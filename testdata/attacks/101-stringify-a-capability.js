return JSON.stringify({ a: box });
//! invalid "box is no data"
---
// twin: raw
return JSON.stringify({ a: api.store });
//~> "HIDDEN"
