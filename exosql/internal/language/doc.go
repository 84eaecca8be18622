// Package language has the language of programs as data: the operators of columns, the methods of
// queries, and the interfaces by which the recorder and the gate check messages.
//
// In: nothing. Out: the operator for a name and a type of column, and exo's interfaces. Invariants:
// programs and the typed API can use only operators of this table, and every operator is total.
package language
