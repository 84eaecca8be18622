// Package databases holds the library to databases as they are. Each database of testdata/databases was written in the manner of a
// tool (Rails, Django, Prisma, plain Go, …), with values as that tool writes them; others are drawn over engine, type, default,
// collation, nullability, key and number of tables. Every column and every link is asked everything that programs can ask, and every
// answer is compared with one that this package calculates by itself from rows that it reads through database/sql.
//
// An operation ends in one of three ways: the answer is right; or it is refused with a reason that names the column, table or link;
// or the column's declared type does not hold a value of the rows, and the error names the column. Anything else fails: another
// answer, an internal error, a reason that names nothing.
//
// Invariant: nothing here calls exosql/internal/compile, nor the engines' decoders. The oracle has a reader of values of its own (cell),
// its own order, and sums of math/big.
//
// testdata/databases/pending.txt lists what is known to be wrong. An entry that is no longer wrong fails, so the list only shrinks.
package databases
