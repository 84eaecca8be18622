// limits: Calls=3
const all = await Promise.allSettled([1, 2, 3, 4, 5].map((i) => box.put(i)));
return all.length;
//! limit "too many calls"
---
// twin: default
//=> 5
