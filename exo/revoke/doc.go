// Package revoke takes access back from principals: a list in a store names those whose programs run no more, in every process that shares the store.
//
//	list := revoke.In(s, nil)
//	tool, err := codemode.New(grants, &codemode.Options{Principal: "ann", Revoked: list})
//	...
//	err = list.Revoke(ctx, "ann", "has left the company")
//
// A program of a revoked principal does not begin. A running one is stopped and changes nothing, unless it has come to its end: the checks before its
// commit are no longer stopped. The error has Kind Revoked. Each process notices a new entry within twice Every: while programs begin or run, it reads
// the list once in Every. While the list can't be read, no program begins, and running programs are stopped after Patience.
//
// A process that can write to the store can give access back. Messages of a run that was committed before still leave. Policy.Revoked takes back one object, in
// one process and at once.
package revoke
