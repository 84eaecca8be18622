// So are the literals of a query that has not run yet.
const ids = [1001];
const filter = { id: ids };
const q = tasks.where(filter);
ids.push(2001); filter.id = 2001;
return (await q.execute()).length;
//=> 1
---
// twin: raw
const ids = [1001]; const q = () => ids; ids.push(2001);
return q().length;
//=> 2
