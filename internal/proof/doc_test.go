// Package proof holds the query compiler to its meaning. It makes random
// schemas, data, grants and programs, runs the programs the whole way (text,
// evaluator, gate, compiler, engine) on SQLite and on PostgreSQL, and compares what
// they return with a slow evaluator that knows no SQL: nested loops over tables in
// memory, written from the rules in the design and from nothing of exosql. Its
// numbers are fractions of math/big, its calendar and its patterns its own.
//
// Three things are asked of every case. The rows are those of the slow
// evaluator, in each of two spellings of the program and on each engine. No text of a row out of
// scope, nor of a hidden column, appears in the result, an error or the console.
// And the same program under a grant of everything does return such rows often
// enough: a generator whose programs never try the walls would prove nothing.
//
// What a case grants is also written to a grant file, where one can say it, and read back: models then read the same of both, and
// programs send the same statements.
//
// A case that failed is shrunk and can be kept as a numbered file in
// testdata/random, which TestKeptCases runs for ever.
package proof
