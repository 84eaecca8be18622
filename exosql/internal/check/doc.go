// Package check compares declarations with the catalogue of a live database. See DESIGN.md.
//
// In: declarations, with what is granted of them, and the catalogue. Out: findings, each with what
// would be right. Invariant: no text of the database reaches a finding unescaped.
package check
