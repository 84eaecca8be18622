// Package language is the language of programs as data: the operators of columns, the methods
// of queries, and the interfaces by which the recorder and the gate check messages.
//
// In: nothing. Out: the operator that a name means on a type of column, and exo's interfaces.
// Invariant: neither a program nor the typed API can express what is not in the table of
// operators, and every operator is total.
package language
