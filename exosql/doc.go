// Package exosql makes capabilities to the rows of a database: a [Relation] is
// what one user may see of a table, and every query made from it, by Go code or by
// a program that was given it, stays within its scope. Its design is DESIGN.md in this package's folder.
//
// Declare tables, columns and links once, as the example of [Grant] does:
//
//	Authors     = exosql.NewTable[Author]("authors")
//	AuthorID    = exosql.NewKey(Authors, "id", func(a *Author) *int64 { return &a.ID })
//	AuthorBooks = exosql.Many("books", AuthorID, BookAuthor)
//
// [Grant] makes a relation; the scope can't be left out. Go code queries it with types:
//
//	me := exosql.Grant(db, Authors, AuthorID.Eq(1))
//	books, err := exosql.Follow(me, AuthorBooks).Where(BookPrice.IsNotNull()).OrderBy(BookTitle.Asc()).All(ctx)
//
// For programs, a [Facet] lists the columns and links that exist for them, and [Facet.Of] makes the
// object to hand out.
//
// # Scope
//
// A grant fixes one predicate for every table that its facets reach ([Scope]).
// Every occurrence of a table in a query satisfies its table's predicate and the
// link by which it was reached. Where a table can be reached in two ways that may mean
// different rows, the scope must be declared, or the object can't be granted.
//
// # Two walls
//
// The first wall is the compiler: a message is interpreted over occurrences of
// tables with generated aliases, and internal/sqlast writes the text; values are
// only ever bound. The second is the engine: on SQLite each connection is
// under an authorizer that admits the tables and columns of the running plan
// and nothing else; on PostgreSQL each query runs in a transaction that only reads
// and is rolled back. Where a facet lets programs write, a run has one transaction on
// a connection for that, in which what reads is read-only all the same. Open verifies that it holds. What PostgreSQL's does not stop,
// a role of its own with the least grants does: see docs/roles.md.
//
// # Types on SQLite
//
// SQLite has five kinds of values, which hold the other types like this:
//
//	Decimal          a number, or its digits: '12.50'
//	time.Time        text: '2006-01-02 15:04:05', or with T, a fraction, Z or an offset
//	Date             text: '2006-01-02'
//	bool             0 or 1
//	Interval         text as Interval.String writes it: 'P1Y2M3DT4H'
//	UUID             text in lower case, with hyphens
//	JSON, an array   text of JSON
//	[]byte           a blob
//
// Other forms of times, days and truth values are declared by Column.Stored. A cell that is none of these reads as null in programs, with
// a notice, and is an error in Go.
//
// # What it does not do
//
// It does not hide how long a query takes, or how keys are ordered where an order
// needs a tie-break.
package exosql
