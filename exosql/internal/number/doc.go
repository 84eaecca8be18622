// Package number calculates with exact decimals, as PostgreSQL's numeric does. SQLite has none.
//
// In: what SQLite holds as a number. Out: numbers in the forms that SQLite can hold, and keys
// that sort as the numbers do. Invariant: every function is total, and the cost of each is
// bounded by the digits that it is given.
package number
