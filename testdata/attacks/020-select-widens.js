// The host granted people as id and name; select asks for more.
return await people.select(({ person }) => ({ mail: person.email })).execute();
//! denied "no member `email`"
---
// twin: open
//~> "ann@ACME.example"
---
// twin: raw
return api.store.Select('email, password');
//~> "HIDDEN ann"
