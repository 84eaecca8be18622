// Package check compares declarations with the catalogue of a live database. Its design is DESIGN.md in this package's folder.
//
// In: declarations, the granted objects, and the catalogue. Out: findings, each with a fix.
// Invariant: every text of the database is escaped in findings.
package check
