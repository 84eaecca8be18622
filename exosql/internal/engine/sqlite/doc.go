// Package sqlite runs plans on SQLite, on read-only connections under an authorizer.
//
// In: a plan and its values. Out: cells of the declared kinds. Invariant: a connection reads
// only the tables and columns of the running plan; between plans it reads nothing.
package sqlite
