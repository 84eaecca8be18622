// Package check compares declarations with the catalogue of a live database. Its design is DESIGN.md in this package's folder.
//
// In: declarations, with what is granted of them, and the catalogue. Out: findings, each with what
// would be right. Invariant: no text of the database reaches a finding unescaped.
package check
