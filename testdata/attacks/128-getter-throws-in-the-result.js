return { get a() { throw new Error('in a getter'); } };
//! program "in a getter"
---
// twin: raw
return JSON.stringify({ get a() { return 'ran'; } });
//=> "{\"a\":\"ran\"}"
