// Which rows go is chosen by nothing that the rows don't admit.
// world: office
// wants: "tasks: 1"
return people.where(p => p.email === 'bob@b.example').delete()
//~> "at its facet"
---
// twin: unlabelled
//~> "\"result\":1"
