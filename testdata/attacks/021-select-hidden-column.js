return await org.members().select((m) => ({ x: m.password })).execute();
//! denied "no member `password`"
---
// twin: open
//~> "HIDDEN cat"
