// Package language is the language of programs as data: the operators of columns, the
// methods of queries, and the interfaces that the recorder and the gate check messages by.
//
// In: nothing. Out: the operator that a name means on a type of column, and exo's interfaces.
// Invariant: what is not in the table of operators can't be expressed, by a program or by the
// typed API, and every operator is total.
package language
