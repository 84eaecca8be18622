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
	Sub   *Select // a derived table; it sees what encloses the statement, not its neighbours
	Alias string  // unique in the whole statement, so that no inner name can capture an outer one
	Left  bool    // LEFT JOIN; it needs an On
	On    []Expr  // conjuncts over this source and those before it; empty: CROSS JOIN
}

// Order is one term of an ORDER BY. NULL sorts below everything on every engine.
// A constant is refused: to SQL, ORDER BY 1 names the first column.
type Order struct {
	Expr    Expr
	Desc    bool
	NotNull bool // Expr is never NULL. Postgres then needs no word on where NULL sorts, which no index but one made with that word serves
}

// Expr is one of Column, Arg, Const, Call, In, InSelect, Scalar, Exists, RowNumber
// and CountAll, by value.
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

// InSelect is X IN (Sub); Sub has one column. There is no Not: a single NULL in
// Sub would make it hold for no row. Use Exists.
type InSelect struct {
	X   Expr
	Sub *Select
}

// Scalar is the one value that Sub gives, or NULL if it has no row. It has one column and a
// limit of One: of several rows PostgreSQL would make an error.
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

// CountAll is COUNT(*), in an output. A Select that counts has no order and no
// output that reads its rows one by one.
type CountAll struct{}

func (Column) expr()    {}
func (Arg) expr()       {}
func (Const) expr()     {}
func (Call) expr()      {}
func (In) expr()        {}
func (InSelect) expr()  {}
func (Scalar) expr()    {}
func (Exists) expr()    {}
func (RowNumber) expr() {}
func (CountAll) expr()  {}
