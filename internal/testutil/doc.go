// Package testutil has what tests of several packages share: a database of two tenants with the owner's name in every text, its declarations
// and grants, readers of the corpora in testdata, and Runners of programs for a principal.
//
// The readers fail if a test could pass without reading anything: for an empty folder, a file with another ending, or an unread file.
package testutil
