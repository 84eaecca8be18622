// A native function as the callback of a describing method gets the placeholder.
return await tasks.where(console.log).execute();
//! invalid "returned nothing"
---
// twin: raw
return ['a'].map(api.env);
//=> ["HIDDEN"]
