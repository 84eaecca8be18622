// Package policy derives weaker objects from others: with fewer methods, revocable, with a
// budget, approved one message at a time, or observed. All of it is written with
// [exo.Wrap], as a host's own policies are, and whatever these functions do, the gate holds a
// wrapped object to the meet of its description and theirs. Its design is DESIGN.md in this package's folder.
//
// Policies nest. The outermost is asked first, and what a message to a wrapped object
// returns is wrapped as the object is.
package policy
