return await tasks.orderBy(() => 'id; DROP TABLE tasks').execute();
//! invalid "a column, or an order"
---
// twin: raw
return api.store.OrderBy("(SELECT CASE WHEN password LIKE 'HIDDEN b%' THEN -id ELSE id END)");
//=> [{"id":12},{"id":11}]
