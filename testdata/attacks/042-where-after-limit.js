// A filter after the limit chooses among the limited rows only.
return await top.where((t) => t.priority.lt(5)).execute();
//=> []
---
// twin: open
//~> "BOLT survey"
