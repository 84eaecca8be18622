// Package unit runs units of work: one transaction for each run of a program, in which everything is read and written, or a part of a transaction of the
// host. If the database can't order a unit with others, the unit is run again. Its design is DESIGN.md in this package's folder.
//
// In: plans with their bound values, and changes. Out: their rows, and whether all changes were kept. Invariant: a unit is kept only if every answer that its
// program got is true in the order in which it is committed. The order of the files: units, part, tx, unit, order, ask, end.
package unit
