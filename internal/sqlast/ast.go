package sqlast

// Dialect is a database's SQL. Render refuses the zero Dialect.
type Dialect uint8

const (
	NoDialect Dialect = iota
	SQLite
	Postgres
)

// Select is a SELECT statement, or a part of one.
type Select struct {
	Columns []Output // one or more columns
	From    []Source // one or more; the first is FROM, and the others are joined in order
	Where   []Expr   // conditions, joined by AND
	OrderBy []Order

	// Group is how many of the first columns the rows are grouped by. The other columns must be aggregates.
	Group int

	// DistinctOn is how many of the first columns identify a row. Of rows that are equal in them, only the first in OrderBy stays. Postgres only.
	// The text names these columns by number, because an expression with placeholders never equals its repetition.
	DistinctOn int

	Windows []Window // the windows that outputs use

	// Limit and Offset contain an Arg, Zero or One each. The least limit counts, and offsets are added; empty means none. A limit that is NULL or
	// negative gives no row or an error, never more rows. A negative offset counts as 0.
	Limit, Offset []Expr

	Key bool // within an InSelect: no two rows of its one table have the same value of its one column
}

// Output is one column of the result. As is required, and unique in its Select.
type Output struct {
	Expr Expr
	As   string
}

// Source is one table or derived table of a FROM clause.
type Source struct {
	Table string  // the name of a table; otherwise there is a Sub, a Recursion or a Step
	In    string  // the PostgreSQL schema of the table, which the table's name may repeat; "" searches the search path
	Sub   *Select // a derived table; it can read the enclosing statement, but not other sources of its FROM
	Set   Set     // how the rows of Sub and of With are combined
	With  *Select // the other select of a Set: as many outputs with the same names; neither has an order or a limit
	Alias string  // unique in the whole statement, so that no inner name can hide an outer one
	Left  bool    // a LEFT JOIN, which needs an On
	On    []Expr  // conditions, joined by AND, over this source and those before; empty means CROSS JOIN

	Recursion *Recursion // a derived table with the rows of the Recursion
	Step      string     // the alias of the Recursion whose previous rows this source has; only within its Next
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

// Order is one term of an ORDER BY. NULL sorts below all values on every engine. A constant is refused, because ORDER BY 1 means the first
// column in SQL.
type Order struct {
	Expr    Expr
	Desc    bool
	NotNull bool // Expr is never NULL. Then Postgres needs no NULLS clause, and so uses ordinary indexes
}

// Expr is one of Column, Arg, Const, Call, In, InSelect, Beyond, Scalar, Exists, RowNumber,
// Aggregate, Collected, Running, Windowed, Nested and Searched, by value.
type Expr interface{ expr() }

// Column reads a column of the source with this alias: of a table, or an output of a derived table. The source may be in an enclosing Select.
type Column struct{ Alias, Name string }

// Arg is a placeholder. The caller binds the value for Slot to it.
type Arg struct {
	Slot int // the number of the value, from 0
	Cast Cast
}

// Cast gives an Arg a type on Postgres, which can't always infer one from the placeholder's use. SQLite needs none, because its values have
// their types.
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

// Const is one of the few constants that the text of a statement may contain.
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

// In is X IN (List...). An empty list contains nothing, so In is FALSE and NOT IN is TRUE, even for a NULL X.
type In struct {
	X    Expr
	List []Expr
	Not  bool
}

// InSelect is X IN (Sub), or (X, And...) IN (Sub). Sub has a column for each value. There is no Not, because one NULL in Sub would make NOT IN
// match no row. Use Exists.
type InSelect struct {
	X   Expr
	And []Expr
	Sub *Select
}

// Beyond is (Left...) > (Right...), or < with Desc: it compares the first pair with different values. It has two or more pairs. An index over the columns of
// Left finds such rows, unlike the same condition written with AND and OR. The result is unknown if the deciding pair has a NULL.
type Beyond struct {
	Left, Right []Expr
	Desc        bool
}

// Scalar is the only value of Sub, or NULL if Sub has no row. Sub has one column, and a limit of One or an aggregate of all its rows.
// PostgreSQL would fail for several rows.
type Scalar struct{ Sub *Select }

// Exists is EXISTS (Sub). Conditions of Sub may read the enclosing sources.
type Exists struct {
	Sub *Select
	Not bool
}

// RowNumber is ROW_NUMBER() OVER (...), in an output or an ORDER BY. Without an order, each run would number the rows differently, so an order
// is required.
type RowNumber struct {
	PartitionBy []Expr
	OrderBy     []Order
}

// Aggregate is one value for many rows, in an output. In a Select with an aggregate, only outputs that it is grouped by read single rows.
type Aggregate struct {
	Func   Func
	X      Expr // nil counts rows
	Stored bool // X is a column of decimals in their stored form, of which only Bounded numbers count. On Postgres only with Sum or Mean
}

// Collected is the texts of many rows as one list, in an output, like an Aggregate. The list is an array on Postgres and JSON text on SQLite.
// NULL is left out. A list beyond MaxCollected bytes is NULL on Postgres, and an error of exo_collect on SQLite.
type Collected struct {
	X       Expr
	OrderBy []Order // the order of the list, on SQLite
	Run     Expr    // the Running of X, on Postgres; it also orders the list
}

// Running is a running sum, on Postgres only: for each text X up to this row, its bytes and 8 more. It is allowed where RowNumber is. A row whose
// X is NULL adds nothing. Before the first text the sum is NULL.
type Running struct {
	X           Expr
	PartitionBy []Expr
	OrderBy     []Order
}

// Nested is the rows of Sub as one value, in order: on Postgres an array of records, on SQLite exo_rows, or exo_row for one row (NULL without
// a row). Sub has a limit or an offset, and at most MaxCells outputs. Beyond MaxNested bytes a row is NULL on Postgres, which returns at most
// MaxRows rows and one more. On SQLite exceeding either is an error of exo_rows.
type Nested struct {
	Sub   *Select
	Alias string // the alias of Sub
	Sizes []Size // one for each output of Sub
	One   bool   // Sub has at most one row, which has no bound
}

// Size is how the bytes of a value are counted.
type Size uint8

const (
	Fixed  Size = iota // the value is always small
	Bytes              // the value is bytes, unchanged
	Stored             // the value comes from a Nested
	AsText             // any other value
)

// Func is an aggregate function. It ignores NULL. Without a value, all functions except the counts are NULL.
type Func uint8

const (
	NoFunc Func = iota
	Count       // the number of values, or of rows
	CountDistinct
	SumWhole // the exact sum of a column of whole numbers
	Sum      // the sum of exact numbers: see IntExact
	Median   // the exact median of exact numbers, or of a column of whole numbers
	Mean     // the mean of exact numbers, cut after 20 places; on Postgres only for Stored numbers
	Min
	Max
	MinNumber // the least exact number; MaxNumber is the greatest
	MaxNumber
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
