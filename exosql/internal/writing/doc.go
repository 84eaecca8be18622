// Package writing decides what a write may do, plans it and runs it. Its design is DESIGN.md in this package's folder.
//
// In: a message of a program that writes, or a chain of typed calls, the grants of the same programs, and the catalogue of the database.
// Out: the plans of one write and what it has to find out first (Plan, Writing), every reason for which no program may write a table
// (Writable), and the change itself (Run). Invariants: a row is in scope before and after; a write brings no row into view and reveals
// nothing that is labelled; what the database would do beyond the rows that are named runs only if the host has permitted it.
//
// The files in the order of a write: writer.go, given.go, hook.go, reach.go, insert.go, typed.go and plan.go plan it; law.go decides what it may
// do, with decide.go for grants and rule.go, rules.go, altered.go, unique.go, labels.go and equality.go for the catalogue; checker.go and
// insertable.go report the same beforehand; run.go runs it.
package writing
