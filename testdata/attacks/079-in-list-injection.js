return await tasks.where((t) => t.title.in(["a') OR 1=1 --", "b'", '1,2'])).count();
//=> 0
---
// twin: raw
return (await api.store.Where("title IN ('a') OR 1=1 --')")).length;
//=> 8
