// Package postgres runs plans on PostgreSQL, each in a transaction that only reads and is
// rolled back. Its design is DESIGN.md in this package's folder.
//
// In: a plan and its values. Out: cells of the declared kinds. Invariant: no setting, lock or
// cancel request of one query reaches the next one on its connection.
package postgres
