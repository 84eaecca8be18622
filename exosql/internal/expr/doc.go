// Package expr has typed expressions over rows, and writes the SQL of each on each engine. Its design is DESIGN.md in this package's folder.
//
// In: columns, values and operators, which package compile has read in a message. Out: SQL, written when
// the places of the rows are known (row.go). Each file has one kind of value or one rule: how keys are
// compared exactly (exact.go), how misfits read as null (misfit.go), which conditions may be tried on
// rows out of scope (condition.go), how large a number or a text can become (digits.go, textsize.go).
//
// It is apart from the compiler so that the rules for values can be read without the rules for queries. Invariants:
// an expression adds no table to a statement, since a From has no sources; the compiler writes a query within an
// expression, with the scopes of its tables (State.Queries); the text of a statement has no value (argument.go).
package expr
