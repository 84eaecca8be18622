// Package policy derives weaker objects from others: with fewer methods, revocable, with a budget,
// approved one message at a time, or observed. All of it is written with [exo.Wrap], as a host's
// own policies are. The gate accepts from a wrapped object only what both its own description and
// the policy's allow. Its design is DESIGN.md in this package's folder.
//
// Policies nest. The outermost is asked first. Objects that a wrapped object returns are wrapped in
// the same way.
package policy
