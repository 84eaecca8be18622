console.log(box, tasks, { box }, [org], box.put);
return 1;
//log "[box] [tasks]"
//=> 1
---
// twin: raw
return JSON.stringify([api.store]);
//~> "HIDDEN"
