// Package search is what text search means: how a text is cut into words, how a program's query is
// read, which texts a query matches, and the rank of one.
//
// In: texts. Out: answers in Go, which SQLite calls, and regular expressions of PostgreSQL that
// give the same answers. It knows no row and no table, so a rank depends on nothing but the
// texts that it is of: a corpus would let rows out of scope turn the order of those in scope.
package search
