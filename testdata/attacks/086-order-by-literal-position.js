// ORDER BY 2 means the second output.
return await tasks.orderBy(() => 2).execute();
//! invalid "a column, or an order"
---
// twin: raw
return api.store.OrderBy('1 DESC');
//=> [{"id":12},{"id":11}]
