// Package exosql makes database rows available as capabilities. A [Relation] is what one user may see of a table. Every query on it stays within
// its scope, whether Go code or a program makes the query. Its design is DESIGN.md in this package's folder.
//
// Declare tables, columns and links once, as the example of [Grant] does:
//
//	Authors     = exosql.NewTable[Author]("authors")
//	AuthorID    = exosql.NewKey(Authors, "id", func(a *Author) *int64 { return &a.ID })
//	AuthorBooks = exosql.Many("books", AuthorID, BookAuthor)
//
// [Grant] makes a relation; its scope can't be left out. Go code queries the relation with types:
//
//	me := exosql.Grant(db, Authors, AuthorID.Eq(1))
//	books, err := exosql.Follow(me, AuthorBooks).Where(BookPrice.IsNotNull()).OrderBy(BookTitle.Asc()).All(ctx)
//
// For programs, a [Facet] lists the columns and links that they see, and [Facet.Of] makes the object to grant.
//
// # Scope
//
// A grant fixes one predicate for every table that its facets reach ([Scope]). In a query, each use of a table gets the table's predicate and the
// condition of the link that reached it. If two links reach a table in ways that may mean different rows, declare the table's scope; without it the
// object can't be granted.
//
// # Two walls
//
// Two independent mechanisms, the two walls, restrict every statement. The first is the compiler. It reads a message as data, names each use of a
// table by an alias of its own, and internal/sqlast writes the SQL. Values are only ever bound as arguments.
//
// The second wall is the database. On SQLite each connection has an authorizer, which admits only the tables and columns of the running plan. On
// PostgreSQL each query runs in a read-only transaction that is rolled back. If a facet lets programs write, a run has one transaction on a writing
// connection; its queries are read-only there too. Open tests both walls. On PostgreSQL a statement can still read any column that the role may
// read, so give the role only the rights that it needs: see docs/roles.md.
//
// # Types on SQLite
//
// SQLite has five kinds of values. Other types are stored in these forms:
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
// Column.Stored declares other forms of times, days and truth values. A cell in any other form reads as null in programs, with a notice, and is an
// error in Go.
//
// # What it does not do
//
// Package exosql does not hide how long a query takes. Nor does it hide the order of keys if an order needs them to break ties.
package exosql
