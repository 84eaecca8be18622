return await top.limit('2; DROP TABLE tasks').execute();
//! invalid "whole number"
---
// twin: raw
return (await api.store.Where("1 = 1 LIMIT 2 -- ;")).length;
//=> 2
