// An un-awaited rejection ended the host process of exoagent.
(async () => { throw new Error('nobody listens'); })();
return 1;
//! program "a promise that was not awaited failed: nobody listens"
---
// twin: raw
(async () => { throw new Error('nobody listens'); })();
return 1;
//=> 1
