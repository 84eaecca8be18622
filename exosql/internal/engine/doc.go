// Package engine runs plans on guarded connections, which are the second wall: they can do
// no more than the plan that is running. Its design is DESIGN.md in this package's folder.
//
// In: a plan and one value per placeholder. Out: cells, decoded and typed. Invariant: a session
// whose state is not known serves no other query.
package engine
