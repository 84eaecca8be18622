// Package testutil has what the tests of several packages share: a database of two tenants with the
// owner's name in every text, its declarations and grants, readers of the corpora in testdata, and
// a way to act As a principal.
//
// The readers fail if a test could pass without having read anything: on an empty folder, on a file
// with another ending, on a file that was not read.
package testutil
