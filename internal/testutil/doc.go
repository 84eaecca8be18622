// Package testutil is what the tests of several packages share: a database of two tenants in which
// every text names its owner, its declarations and grants, readers of the corpora in testdata, and
// a way to act As a principal.
//
// The readers fail where a test could pass by having looked at nothing: on an
// empty folder, on a file that no reader takes, on a file that was not read.
package testutil
