// Package number calculates with exact decimals as PostgreSQL's numeric does. SQLite has no decimals.
//
// In: cells that SQLite stores as numbers. Out: numbers in forms that SQLite can store, and keys
// that sort as the numbers do. Invariant: every function accepts every input, and its cost is
// bounded by the digits of its input.
package number
