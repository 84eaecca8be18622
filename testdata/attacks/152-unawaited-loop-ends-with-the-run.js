// An un-awaited loop kept calling tools after the call had returned. Here a run
// is over when its calls are: the loop runs into the limit on calls.
// limits: Calls=20
(async () => { for (;;) await box.puts(); })();
return 'returned';
//! limit "too many calls"
---
// twin: default
await (async () => { for (let i = 0; i < 5; i++) await box.put(i); })();
return 'returned';
//=> "returned"
