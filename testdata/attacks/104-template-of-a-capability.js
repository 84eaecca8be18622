return `${tasks}`;
//! invalid "has not run yet"
---
// twin: raw
return String(api.store.Secret);
//~> "HIDDEN"
