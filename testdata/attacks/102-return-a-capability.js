return { a: box };
//! invalid "the result's a: box is no data"
---
// twin: raw
return { a: api.store };
//~> "HIDDEN"
