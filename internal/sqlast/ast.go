package sqlast

// Dialect is a database's spelling. The zero Dialect is none: Render refuses it.
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

	// Group is how many of the columns, from the first, the rows are grouped by; the others
	// are aggregates then.
	Group int

	// DistinctOn is how many of the columns, from the first, tell rows apart: of those equal in them the first is left, in
	// OrderBy. Postgres only. They are named by number there: an expression with placeholders is never the same twice.
	DistinctOn int

	Windows []Window // of the outputs

	// Limit and Offset hold an Arg, Zero or One each. The least limit counts and
	// the sum of the offsets; empty means none. A limit that is bound to NULL or to
	// a negative number gives no row or an error, never more rows; a negative
	// offset counts as 0.
	Limit, Offset []Expr
}

// Output is one column of the result. As is required and unique in its Select.
type Output struct {
	Expr Expr
	As   string
}

// Source is one table or derived table of a FROM clause.
type Source struct {
	Table string  // a table's name, or
	In    string  // the schema of PostgreSQL in which the table is, with which its name may begin then; "": along the search path
	Sub   *Select // a derived table; it sees what encloses the statement, not its neighbours
	Set   Set     // of Sub: what its rows are combined with those of With by
	With  *Select // the other arm: as many outputs of the same names. Neither has an order or a limit
	Alias string  // unique in the whole statement, so that no inner name can capture an outer one
	Left  bool    // LEFT JOIN; it needs an On
	On    []Expr  // conjuncts over this source and those before it; empty: CROSS JOIN

	Recursion *Recursion // a derived table of it
	Step      string     // in the Next of the Recursion with this alias: the rows before
}

// Set is how the rows of two selects make those of one. All but UnionAll leave equal rows once; NULL is equal to NULL.
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
	NotNull bool // Expr is never NULL. Postgres then needs no word on where NULL sorts, which no index but one made with that word serves
}

// Expr is one of Column, Arg, Const, Call, In, InSelect, Beyond, Scalar, Exists, RowNumber,
// Aggregate, Collected, Running, Windowed, Nested and Searched, by value.
type Expr interface{ expr() }

// Column reads a column of the source that has this alias: a table's, or an
// output of a derived table. The source may belong to an enclosing Select.
type Column struct{ Alias, Name string }

// Arg is a placeholder; the caller binds to it what it keeps under Slot.
type Arg struct {
	Slot int // not negative
	Cast Cast
}

// Cast gives an Arg a type on Postgres, where a placeholder's use does not
// always say one. SQLite's values carry their types; there it is left out.
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

// Const is one of the few constants that may stand in a statement's text.
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

// In is X IN (List...). An empty list holds nothing, so In is then FALSE and NOT
// IN is TRUE, also for a NULL X.
type In struct {
	X    Expr
	List []Expr
	Not  bool
}

// InSelect is X IN (Sub), or (X, And...) IN (Sub); Sub has one column for each. There is no Not: a single NULL in
// Sub would make it hold for no row. Use Exists.
type InSelect struct {
	X   Expr
	And []Expr
	Sub *Select
}

// Beyond is (Left...) > (Right...), or < with Desc: that the first pair whose values differ is so. It has two pairs at least. An index over the
// columns of Left finds such rows, where it does not for the same in ANDs and ORs. NULL in a pair
// that decides makes it unknown.
type Beyond struct {
	Left, Right []Expr
	Desc        bool
}

// Scalar is the one value that Sub gives, or NULL if it has no row. It has one column, and a
// limit of One or an aggregate of all its rows: of several rows PostgreSQL would make an error.
type Scalar struct{ Sub *Select }

// Exists is EXISTS (Sub). Sub's conditions may read the enclosing sources.
type Exists struct {
	Sub *Select
	Not bool
}

// RowNumber is ROW_NUMBER() OVER (...), in an output or an ORDER BY. An order is
// required: rows numbered in no order are numbered differently each time.
type RowNumber struct {
	PartitionBy []Expr
	OrderBy     []Order
}

// Aggregate is one value of many rows, in an output. A Select that has one reads its rows
// one by one in the outputs that it is grouped by and in no others.
type Aggregate struct {
	Func   Func
	X      Expr // nil: each row counts
	Stored bool // X is a column of decimals as it is stored; of its numbers those count that are Bounded. On Postgres it is summed, or its Mean
}

// Collected is the texts of many rows as one list, in an output, like an Aggregate: an array on Postgres, the
// text of JSON on SQLite. NULL is left out. One that is longer than MaxCollected bytes is NULL on
// Postgres, and on SQLite an error of exo_collect.
type Collected struct {
	X       Expr
	OrderBy []Order // SQLite
	Run     Expr    // Postgres: the Running of X, by which the list is ordered
}

// Running is how many bytes the texts X have up to a row, each with 8 more; Postgres only. It stands where RowNumber
// may. Where X is NULL it is NULL, or what it was before.
type Running struct {
	X           Expr
	PartitionBy []Expr
	OrderBy     []Order
}

// Nested is the rows of Sub, in its order, as one value: an array of records on Postgres, what exo_rows makes of them on
// SQLite, or exo_row of one row (NULL if there is none). Sub has a limit or an offset, and no more outputs than MaxCells. Beyond MaxNested bytes a row is NULL on
// Postgres, which gives one row more than MaxRows at most; on SQLite both are an error of exo_rows.
type Nested struct {
	Sub   *Select
	Alias string // of Sub
	Sizes []Size // of Sub's outputs
	One   bool   // Sub has one row at most, which has no bound
}

// Size says how the bytes of a value are counted.
type Size uint8

const (
	Fixed  Size = iota // it has a few
	Bytes              // of bytes, as they are
	Stored             // of what Nested has made
	AsText             // of everything else
)

// Func is an aggregate function. NULL is no value to any; of no values all but the counts are NULL.
type Func uint8

const (
	NoFunc        Func = iota
	Count              // of values, or rows
	CountDistinct      //
	SumWhole           // of a column of whole numbers; exact
	Sum                // of exact numbers; see IntExact
	Median             // of exact numbers, or of a column of whole numbers; exact
	Mean               // of exact numbers, cut after 20 places; on Postgres of Stored ones only
	Min                //
	Max                //
	MinNumber          // of exact numbers
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
