return `${tasks}`;
//! invalid "is a query and no function"
---
// twin: raw
return String(api.store.Secret);
//~> "HIDDEN"
