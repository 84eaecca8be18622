return { a: box };
//! invalid "the result's a: box is an object, not data"
---
// twin: raw
return { a: api.store };
//~> "HIDDEN"
