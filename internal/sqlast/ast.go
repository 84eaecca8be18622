package sqlast

// Dialect is a database's SQL. Render refuses the zero Dialect.
type Dialect uint8

const (
	NoDialect Dialect = iota
	SQLite
	Postgres
)

// Select is one SELECT statement, or a part of one.
type Select struct {
	Columns []Output // at least one
	From    []Source // at least one; the first is FROM, the others are joined to it in order
	Where   []Expr   // conjuncts
	OrderBy []Order

	// Group is how many of the columns, from the first, the rows are grouped by. The other columns
	// must be aggregates.
	Group int

	// DistinctOn is how many of the columns, from the first, identify a row: of the rows that are equal in them, only the first in OrderBy
	// stays. Postgres only. The text names these columns by number: an expression with placeholders never equals its repetition.
	DistinctOn int

	Windows []Window // of the outputs

	// Limit and Offset contain an Arg, Zero or One each. The least limit counts, and the offsets
	// are added; empty means none. A limit that is bound to NULL or to a negative number gives no
	// row or an error, never more rows. A negative offset counts as 0.
	Limit, Offset []Expr

	Key bool // within an InSelect: no two rows of its one table have the same value of its one column
}

// Output is one column of the result. As is required and unique in its Select.
type Output struct {
	Expr Expr
	As   string
}

// Source is one table or derived table of a FROM clause.
type Source struct {
	Table string  // a table's name, or
	In    string  // the PostgreSQL schema of the table, which the table's name may then repeat; "": along the search path
	Sub   *Select // a derived table; it can read the enclosing statement, not its neighbours
	Set   Set     // for Sub: how its rows are combined with those of With
	With  *Select // the other arm: as many outputs of the same names. Neither has an order or a limit
	Alias string  // unique in the whole statement, so that no inner name can capture an outer one
	Left  bool    // LEFT JOIN; it needs an On
	On    []Expr  // conjuncts over this source and those before it; empty: CROSS JOIN

	Recursion *Recursion // a derived table with its rows
	Step      string     // in the Next of the Recursion with this alias: the rows of the previous step
}

// Set is how the rows of two selects are combined. All except UnionAll leave equal rows only once; NULL equals NULL.
type Set uint8

const (
	NoSet Set = iota
	Union
	UnionAll
	Intersect
	Except
	numSets
)

// Order is one term of an ORDER BY. NULL sorts below everything on every engine.
// A constant is refused: to SQL, ORDER BY 1 names the first column.
type Order struct {
	Expr    Expr
	Desc    bool
	NotNull bool // Expr is never NULL. Then Postgres needs no NULLS clause, which only an index made with the same clause could serve
}

// Expr is one of Column, Arg, Const, Call, In, InSelect, Beyond, Scalar, Exists, RowNumber,
// Aggregate, Collected, Running, Windowed, Nested and Searched, by value.
type Expr interface{ expr() }

// Column reads a column of the source with this alias: of a table, or an output of a derived table.
// The source may belong to an enclosing Select.
type Column struct{ Alias, Name string }

// Arg is a placeholder. The caller binds its value for Slot to it.
type Arg struct {
	Slot int // not negative
	Cast Cast
}

// Cast gives an Arg a type on Postgres, which can't always infer one from the placeholder's use.
// SQLite's values carry their types, so it is left out there.
type Cast uint8

const (
	NoCast Cast = iota
	CastBigint
	CastDouble
	CastText
	CastBoolean
	CastTimestamptz
	CastInteger
	CastNumeric
	CastDate
	CastInterval
	CastUUID
	CastBytea
	CastJSON
)

// Const is one of the few constants that a statement's text may contain.
type Const uint8

const (
	NoConst Const = iota
	True
	False
	Null
	Zero
	One
)

// Call applies an operator or a function.
type Call struct {
	Op   Op
	Args []Expr
}

// In is X IN (List...). An empty list contains nothing, so In is FALSE and NOT IN is TRUE, also for
// a NULL X.
type In struct {
	X    Expr
	List []Expr
	Not  bool
}

// InSelect is X IN (Sub), or (X, And...) IN (Sub); Sub has one column for each. There is no Not: a
// single NULL in Sub would make NOT IN match no row. Use Exists.
type InSelect struct {
	X   Expr
	And []Expr
	Sub *Select
}

// Beyond is (Left...) > (Right...), or < with Desc: it compares the first pair with different
// values. It has at least two pairs. An index over the columns of Left finds such rows, but not for
// the same condition written with AND and OR. It is unknown if the deciding pair has a NULL.
type Beyond struct {
	Left, Right []Expr
	Desc        bool
}

// Scalar is the one value that Sub gives, or NULL if Sub has no row. Sub has one column, and a
// limit of One or an aggregate of all its rows: PostgreSQL fails if it has several rows.
type Scalar struct{ Sub *Select }

// Exists is EXISTS (Sub). Sub's conditions may read the enclosing sources.
type Exists struct {
	Sub *Select
	Not bool
}

// RowNumber is ROW_NUMBER() OVER (...), in an output or an ORDER BY. It needs an order: without
// one, rows are numbered differently each time.
type RowNumber struct {
	PartitionBy []Expr
	OrderBy     []Order
}

// Aggregate is one value for many rows, in an output. In a Select that has one, only the outputs
// that it is grouped by read single rows.
type Aggregate struct {
	Func   Func
	X      Expr // nil: each row counts
	Stored bool // X is a column of decimals in their stored form; only its Bounded numbers count. On Postgres: Sum or Mean only
}

// Collected is the texts of many rows as one list, in an output, like an Aggregate: an array on
// Postgres, JSON text on SQLite. NULL is left out. A list of more than MaxCollected bytes is NULL
// on Postgres, and an error of exo_collect on SQLite.
type Collected struct {
	X       Expr
	OrderBy []Order // SQLite
	Run     Expr    // Postgres: the Running of X, which also orders the list
}

// Running is the number of bytes of the texts X up to a row, with 8 more for each; Postgres only.
// It is allowed where RowNumber is. For a NULL X it is NULL, or the value before.
type Running struct {
	X           Expr
	PartitionBy []Expr
	OrderBy     []Order
}

// Nested is the rows of Sub, in its order, as one value: an array of records on Postgres, and on SQLite the result of exo_rows,
// or exo_row of one row (NULL if there is none). Sub has a limit or an offset, and at most MaxCells outputs. Beyond MaxNested
// bytes a row is NULL on Postgres, which gives at most one row more than MaxRows; on SQLite both are an error of exo_rows.
type Nested struct {
	Sub   *Select
	Alias string // of Sub
	Sizes []Size // of Sub's outputs
	One   bool   // Sub has at most one row, which has no bound
}

// Size is the way in which the bytes of a value are counted.
type Size uint8

const (
	Fixed  Size = iota // the value is small
	Bytes              // bytes, unchanged
	Stored             // a value made by Nested
	AsText             // every other value
)

// Func is an aggregate function. It ignores NULL. Without any value, all except the counts are NULL.
type Func uint8

const (
	NoFunc        Func = iota
	Count              // the number of values, or of rows
	CountDistinct      //
	SumWhole           // the exact sum of a column of whole numbers
	Sum                // the sum of exact numbers; see IntExact
	Median             // the exact median of exact numbers, or of a column of whole numbers
	Mean               // the mean of exact numbers, cut after 20 places; on Postgres only for Stored ones
	Min                //
	Max                //
	MinNumber          // the least of exact numbers
	MaxNumber          //
	numFuncs
)

func (Column) expr()    {}
func (Arg) expr()       {}
func (Const) expr()     {}
func (Call) expr()      {}
func (In) expr()        {}
func (InSelect) expr()  {}
func (Beyond) expr()    {}
func (Scalar) expr()    {}
func (Exists) expr()    {}
func (RowNumber) expr() {}
func (Aggregate) expr() {}
func (Collected) expr() {}
func (Running) expr()   {}
func (Nested) expr()    {}
