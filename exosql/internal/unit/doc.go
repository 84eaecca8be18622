// Package unit runs units of work: one transaction for each run of a program, in which everything is read and written, and the
// transactions of the host that runs are a part of. Where the database can't put a unit in an order with others, it is run again. Its design is DESIGN.md in this package's folder.
//
// In: plans with the values that are bound in them, and changes. Out: their rows, and whether the whole was kept.
// Invariant: nothing of a unit is kept unless every answer that its program has is true in the order in which it is committed.
// The order of the files: units, part, tx, unit, order, ask, end.
package unit
