// Package writing decides what a write may do, plans it and runs it. Its design is DESIGN.md in this package's folder.
//
// In: a program's message that writes, or a chain of typed calls; the grants of the same programs; and the catalogue of the database.
// Out: the plan of one write with its checks (Plan, Writing), every reason for which no program may write a table (Writable), and the change
// itself (Run). Invariants: a written row is in scope before and after the write. A write brings no other row into view, and reveals no labelled
// data. The database acts beyond the rows that a write names (by a trigger, say) only if the host has permitted it.
//
// The files in the order of a write: writer.go, given.go, hook.go, reach.go, insert.go, typed.go and plan.go plan it; law.go decides what it may
// do, with decide.go for grants and rule.go, rules.go, altered.go, unique.go, labels.go and equality.go for the catalogue; checker.go and
// insertable.go report refusals before any program runs; run.go runs the write.
package writing
