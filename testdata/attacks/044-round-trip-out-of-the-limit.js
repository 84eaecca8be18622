// Up the link and down again: the rest of the project's tasks are not in the grant.
return (await top.project().tasks().orderBy((t) => t.id).execute()).map((t) => t.id);
//=> [1002,1004]
---
// twin: open
return (await top.project().tasks().execute()).map((t) => t.id);
//=> [1001,1002,1003,1004,1090,2001,2002,2090]
