// Package revoke takes access back from principals: a list in a store names those whose programs run no more, in every process that shares the store.
//
//	list := revoke.In(s, nil)
//	tool, err := codemode.New(grants, &codemode.Options{Principal: "ann", Revoked: list})
//	...
//	err = list.Revoke(ctx, "ann", "has left the company")
//
// A program of a revoked principal does not begin, and one that runs is stopped and changes nothing, unless its commit has begun. Both get an error of
// Kind Revoked. Other processes hear of it within Every: while programs begin or run, each process reads the list once in that time. If the list
// can't be read, no program begins, and those that run are stopped after Patience.
//
// Messages of a run that was committed before still leave. Policy.Revoked takes back one object, in one process and at once.
package revoke
