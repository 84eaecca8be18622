// What comes back from the host is the program's own: changing it changes nothing.
const a = { list: [1] };
const b = await box.put(a);
b.list.push(2); b.x = 1; a.list.push(3);
return [await box.get(), a === b];
//=> [{"list":[1]},false]
---
// twin: raw
const c = await api.config; c.limit = 99;
return await api.limit();
//=> 99
