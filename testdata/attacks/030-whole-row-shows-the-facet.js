// Whole rows are what the facet lists, never SELECT *.
return Object.keys((await org.members().execute())[0]);
//=> ["id","name","email"]
---
// twin: open
//=> ["id","name","email","orgId","password"]
