// Literals are bound, whatever is in them.
return await Promise.all(["' OR '1'='1", "x' UNION SELECT id, password FROM members --", '\\', '?', '$1', ':id', '%', '"'].map((s) => tasks.where({ title: s }).count()));
//=> [0,0,0,0,0,0,0,0]
---
// twin: raw
return (await api.store.Find('title', '=', "' OR '1'='1")).length;
//=> 8
---
// twin: raw
return await api.store.Find('title', '=', "x' UNION SELECT id, password FROM members --");
//~> "HIDDEN ann"
