// Package engine runs plans on guarded connections, on which the database itself refuses more than the running plan needs. Its design
// is DESIGN.md in this package's folder.
//
// In: a plan, and one value for each parameter of its statement. Out: cells, decoded and typed. Invariant: a session of unknown state
// serves no other query.
package engine
