await box.fail();
//! internal "internal error"
---
// twin: raw
await api.fail();
//! program "HIDDEN"
