// Package search defines text search: how a text is split into words, how a program's query is
// read, which texts a query matches, and the rank of a text.
//
// In: texts. Out: answers in Go, which SQLite calls, and regular expressions for PostgreSQL that give the
// same answers. The package knows no row and no table, so a rank depends only on the texts that it is
// computed from. With statistics of all texts, rows out of scope could change the order of rows in scope.
package search
