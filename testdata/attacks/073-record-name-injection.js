// Names of a selection are data of the result, never SQL.
const rows = await people.select((p) => ({ 'id" , (SELECT password FROM members) AS "x': p.id, "y'); DROP TABLE tasks; --": p.name })).limit(1).execute();
return [Object.keys(rows[0]), await tasks.count()];
//=> [["id\" , (SELECT password FROM members) AS \"x","y'); DROP TABLE tasks; --"],5]
---
// twin: raw
return api.store.Select('id AS "id" , (SELECT password FROM members) AS "x"');
//~> "HIDDEN"
