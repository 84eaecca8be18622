package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has what all others build on: what an expression is, the rows that it reads, and the statement that it is written into. An
// expression holds a row and a column, and never a name: where the column is, its From knows at the moment in which it is written.

// Expr is an expression over rows. It becomes SQL when it is known in which
// from it is used.
type Expr interface {
	SQL(f *From) sqlast.Expr
	Type() Type
}

// Type is what the values of an expression are.
type Type struct {
	Kind  string // a scalar type of exo
	Exact bool   // a number that was calculated: on SQLite a whole number or the text of a decimal, on PostgreSQL a numeric
	Size  Digits // of a number, or of a text; zero: what its kind holds

	Native decl.Native // of a text: the type that the database has it in
}

func (t Type) Number() bool { return scalar.NumberRank(t.Kind) > 0 }

// Decimal reports whether comparing it needs exact numbers.
func (t Type) Decimal() bool { return t.Exact || t.Kind == value.TypeDecimal }

// Digits bounds how long a number can be: its digits before the point and behind
// it. They are known when a query is compiled, from the types of what it is made
// of. So what could become too long for an engine is refused for every row or for
// none: PostgreSQL would fail for the rows that are long, and show that there are such.
type Digits struct{ Whole, part int }

// Row is one row variable of a query: one table, in one place.
type Row struct {
	Grant *scope.Grant // which grant's scopes apply to it
	Facet *decl.Facet  // what a program sees of it; nil for hidden ones
	Table *decl.Table
	Form  func(*decl.Column) decl.Form // how the database holds its columns; nil: it is no row of a table
	Fixed []scope.Fixed                // by its scope
	Entry scope.Entry
	Gates []string // see fence.Table
	Alias string   // of the table itself, wherever its columns are now

	Parent *Row // that it was joined to by a link, or nil
	By     *decl.Link
	With   *Row        // that it was joined to by a condition, or nil: see joinedBy
	Pairs  []decl.Pair // of that condition

	Optional bool // joined so that it may be missing: all its columns may be null

	Made calculated // it is no row of a table, but a group of rows, or the window of each row

	Sought *plan.Source // the text that its query was searched for last

	Selected Expr // it is no row at all, but what select showed under a name

	Depth     *decl.Column // of a row of a tree
	DepthName string       // and what programs call it
}

// calculated are the outputs of a derived table that expressions over its rows calculate.
type calculated interface {
	Source() *From                // the rows
	Output(col *decl.Column) Expr // nil: there is none
}

// From is what expressions see of a FROM clause that is being built: its rows, and where each is now.
type From struct {
	c      *State
	Outer  *From // the enclosing one, for EXISTS and IN
	Rows   []*Row
	At     map[*Row]Place
	Valued []Column // columns that are not null in any row, by a condition of the program
}

// Place says where a row's columns are: in a table, or among the outputs of a
// derived table, to which they are added when first used.
type Place struct {
	Alias   string
	Derived *Derived
}

// Derived is a derived table that is being built: its rows, and the outputs that were used so far.
type Derived struct {
	Inner *From
	Sel   *sqlast.Select
	Outs  map[OutKey]string
}

// OutKey is a column of a row, as an output.
type OutKey struct {
	Row *Row
	Col *decl.Column
}

// Col is the expression that reads a row's column, wherever the row is now.
func (f *From) Col(row *Row, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.Charge = max(f.c.Charge, col.Charge())
	p, ok := f.At[row]
	if !ok {
		if f.Outer == nil {
			return nil // sqlast refuses nil: a row that is nowhere is an error, not a name
		}
		return f.Outer.Col(row, col)
	}
	if p.Derived == nil {
		return sqlast.Column{Alias: p.Alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.Alias, Name: p.Derived.Expose(row, col)}
}

// Expose makes a column of a row an output, and returns the name of that.
func (d *Derived) Expose(row *Row, col *decl.Column) string {
	k := OutKey{row, col}
	name, ok := d.Outs[k]
	if !ok {
		var x sqlast.Expr
		if row.Made == nil || row.Made.Source() != d.Inner {
			x = d.Inner.Col(row, col)
		} else if made := row.Made.Output(col); made != nil {
			x = made.SQL(d.Inner)
		}
		o := d.Out(k, x, len(d.Outs))
		d.Sel.Columns = append(d.Sel.Columns, o)
		name = o.As
	}
	return name
}

// Out is output n of a derived table.
func (d *Derived) Out(k OutKey, x sqlast.Expr, n int) sqlast.Output {
	d.Outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.Outs[k]}
}

// touch notes a row if a condition on the column has to be guarded: the row's table is, or a link
// compares the column with one of a table that is. Engines apply a condition on one end to the
// other, too: its time would reveal that some row has the value.
func (c *State) touch(row *Row, col *decl.Column) {
	if len(c.Guards) == 0 || c.Satisfying || c.Linking || slices.Contains(c.Touched, row) {
		return
	}
	if c.Guarded(row) || slices.Contains(c.Compared, col) {
		c.Touched = append(c.Touched, row)
	}
}

func (c *State) Guarded(row *Row) bool { return slices.Contains(c.Guards, row.Alias) }

// Scanned reports whether a guarded table is not searched for its scope, which holds most of it.
func (c *State) Scanned(row *Row) bool { return slices.Contains(c.Scans, row.Alias) }

// fixes reports whether the scope of a row gives a column one value.
func (c *State) fixes(row *Row, col *decl.Column) bool {
	for _, f := range row.Fixed {
		// Names are compared: SQLite ignores their case, and has several names for one column.
		if strings.EqualFold(f.Col.Name, col.Name) || slices.Contains([]string{"rowid", "oid", "_rowid_"}, strings.ToLower(col.Name)) {
			return true
		}
	}
	return false
}

// unindexed keeps SQLite from searching a column of a scope by anything but the scope's
// own value: its plan says that it searches for one value, and not for which. A
// program that compares the tenant's column with another tenant's number would have that
// searched for. PostgreSQL's plan names the placeholder. Nor may SQLite read a guarded
// table in the order of what a program sorts by: its plan does not say that it does. A
// table that is to be read as a whole is not searched for its scope.
func (f *From) unindexed(x sqlast.Expr, row *Row, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.Dialect != sqlast.SQLite || x == nil || f.c.Satisfying && (f.c.Guarding || !f.c.Scanned(row)) {
		return x
	}
	if f.c.Satisfying || f.c.fixes(row, col) || f.c.Sorting && f.c.Guarded(row) {
		return Call(sqlast.Unindexed, x)
	}
	return x
}

// Cell is an output of a group, in whatever from the group is now.
type Cell struct {
	Row *Row
	Col *decl.Column
	Of  Type

	List string // of a list, the kind of its items

	By   *decl.Column // of a key that shows one text of several: the output by which they are equal
	Like decl.Form    // that equality
}

// An engine moves a condition on a key to the rows that are grouped, where no guard stands before it.
func (e Cell) SQL(f *From) sqlast.Expr {
	if f.c.Conditions > 0 && len(f.c.Guards) > 0 {
		f.c.Unguarded = true
	}
	return f.Col(e.Row, e.Col)
}

func (e Cell) Type() Type { return e.Of }

// NewFrom is one without rows.
func NewFrom(c *State, outer *From) From {
	return From{c: c, Outer: outer, At: map[*Row]Place{}}
}

// Sees reports whether the columns of a row can be read here.
func (f *From) Sees(row *Row) bool {
	for ; f != nil; f = f.Outer {
		if _, ok := f.At[row]; ok {
			return true
		}
	}
	return false
}

// Engine is the database that a statement is written for.
type Engine struct {
	Dialect sqlast.Dialect
	// Form is how the database holds a column. nil: nobody knows, and all texts are compared twice.
	Form func(*decl.Column) decl.Form
	// Again: rows that were sorted as columns are stored had a misfit, see marked.
	Again bool
	// Probe: of rows that were sorted so, upwards and to a limit, the greatest alone is read: it is a misfit where one may lie behind the limit.
	Probe bool
}

// State is what expressions read of the statement that they are written into, and note in it. The compiler embeds it.
type State struct {
	Engine  Engine
	known   map[*decl.Column]decl.Form // what engine has answered
	Dialect sqlast.Dialect             // of engine
	Program bool                       // the statement is a program's, and no chain of typed calls
	Zoned   bool                       // local time is not UTC
	Queries queries

	fence.Form // in which it is compiled

	Slots   []plan.Source
	Emitted int // operations written: what is repeated in the statement counts each time
	Handled int // bytes of made texts in one row, weighed, see handle
	Held    int // bytes of them
	holding int // aggregates that hold values, see holds
	Charge  int // the most of the labelled columns that the statement names

	Unchanged  bool           // a condition of ifUnchanged is being interpreted
	Satisfying bool           // conditions of a scope are being written
	Guarding   bool           // the scope of a guard is being written
	Linking    bool           // the condition of a link is being written
	Compared   []*decl.Column // all columns that links compare, of an earlier compilation, where some tables are guarded
	Touched    []*Row         // whose columns are read in what is written, while guards are
	Unguarded  bool           // a condition that would need a guard has none
	Sorting    bool           // by something of a guarded table
	Conditions int            // conditions of the program that are being written, one in another

	Needed   bool     // what is written has to hold: unknown is as good as false
	Fitted   []Column // columns whose misfits are null in the statement
	Raw      int      // columns are written as they are stored: see misfit.go
	Changing bool     // the rows are found to be changed
	Base     *Row     // the row that is changed, once it is known
	Extremes bool     // the one value that is asked is the least or the greatest of a column

	Over overWindow // aggregates that are written are of it, or nil

	Failed error // met while something is written
}

// queries writes the queries that stand in expressions. The compiler does: an expression knows the node of the message, and no more.
type queries interface {
	// Value is what a subquery gives, written by how.
	Value(f *From, e Subquery, how func(Expr, *From) sqlast.Expr) sqlast.Expr
	// Among is whether a value is among those of a query.
	Among(f *From, e Among) sqlast.Expr
	// Column is the column that a subquery is of, of the one row that a link leads to; nil: it is something else.
	Column(f *From, e Subquery) *decl.Column
}

// overWindow writes an aggregate over the rows of a window.
type overWindow interface {
	Of(a sqlast.Aggregate) sqlast.Windowed
}

// MaxValues is how many values one statement may have, below what both engines take: 32,766 on SQLite, 65,535 on PostgreSQL.
const MaxValues = 30_000

// MaxEmitted bounds what is written of it: an operand that is repeated could
// double with each level.
const MaxEmitted = 50_000

// FormOf is how the database holds a column.
func (c *State) FormOf(col *decl.Column) decl.Form {
	f, known := c.known[col]
	if !known {
		if f = c.Engine.FormOf(col); c.known == nil {
			c.known = map[*decl.Column]decl.Form{}
		}
		c.known[col] = f
	}
	return f
}

// Forms is form for rows of a table of PostgreSQL. SQLite has no other types.
func (c *State) Forms() func(*decl.Column) decl.Form {
	if c.Dialect != sqlast.Postgres {
		return nil
	}
	return c.FormOf
}

// Fail ends the compilation with an error that is met while a statement is written.
func (c *State) Fail(err error) {
	if c.Failed == nil {
		c.Failed = err
	}
}

// Need writes a condition that has to hold, or one that is unknown where it is neither true nor false.
func (c *State) Need(holds bool, write func() sqlast.Expr) sqlast.Expr {
	before := c.Needed
	c.Needed = holds
	x := write()
	c.Needed = before
	return x
}

// FormOf is how the database holds a column.
func (e Engine) FormOf(col *decl.Column) decl.Form {
	if e.Form == nil {
		return decl.Form{}
	}
	return e.Form(col)
}

// Column is a column of a row.
type Column struct {
	Row *Row
	Col *decl.Column
}

func (e Column) Type() Type {
	t := Type{Kind: e.Col.Kind}
	if t.Kind == value.TypeText {
		t.Native = e.form().Native
	}
	return t
}

// form is how the database holds the column.
func (e Column) form() decl.Form {
	if e.Row == nil || e.Row.Form == nil { // on SQLite a text is a text
		return decl.Form{}
	}
	return e.Row.Form(e.Col)
}

// ColumnOf is a column of a row.
func ColumnOf(row *Row, col *decl.Column) Column { return Column{row, col} }

// single reports whether the column has PostgreSQL's type real. It is the number that it is written as: beside a double, 0.1 would be
// another one, and no row would have what the program was shown.
func (e Column) single() bool { return e.Row.Form != nil && e.Row.Form(e.Col).Type == "real" }

// Operation is an operation on operands as they are compared.
type Operation struct {
	Op   sqlast.Op
	Args []Expr
	of   Type
}

func (e Operation) Type() Type { return e.of }

// Apply is an operator applied to operands; of is what it gives.
func Apply(op sqlast.Op, args []Expr, of Type) Operation { return Operation{op, args, of} }

// In is whether x is one of a list, or not.
type In struct {
	x    Expr
	list []Expr
	not  bool
}

func (e In) Type() Type { return Type{Kind: value.TypeBool} }

// InList is whether x is one of a list, or not.
func InList(x Expr, list []Expr, not bool) In { return In{x, list, not} }

// SortKey is an expression that is sorted by. A condition is negated twice:
// SQLite makes the constant of one that can't hold, like in([]), and takes a
// number that stands alone in ORDER BY for that of an output.
type SortKey struct {
	X      Expr
	Stored bool // a column, as it lies in the database
}

// SortBy makes the key by which rows are sorted in the order of x.
func SortBy(x Expr) SortKey { return SortKey{X: x} }

func (e SortKey) Type() Type { return e.X.Type() }

// Call is an operation of SQL.
func Call(op sqlast.Op, args ...sqlast.Expr) sqlast.Expr { return sqlast.Call{Op: op, Args: args} }

// Compared is an expression as it is compared and sorted.
func Compared(e Expr, f *From) sqlast.Expr {
	if c, ok := e.(interface{ comparable(*From) sqlast.Expr }); ok {
		return c.comparable(f)
	}
	return e.SQL(f)
}

// Mapped is what f makes of each expression.
func Mapped[T any](args []Expr, f func(Expr) T) []T {
	out := make([]T, len(args))
	for i, a := range args {
		out[i] = f(a)
	}
	return out
}

// Determines adds the row to those known once what it was joined to is, and that once the row is, where one leads to one of the other.
// strict trusts keys alone: a link that says that it leads to one may end at a column that several rows share.
func (row *Row) Determines(known map[*Row]bool, strict bool) {
	to := func(p decl.Pair) *decl.Column { return p.To }
	from := func(p decl.Pair) *decl.Column { return p.From }
	switch p, w := row.Parent, row.With; {
	case p != nil:
		turned := row.Facet != nil && slices.ContainsFunc(row.Facet.Links, func(l decl.LinkMember) bool { return l.L.One && l.L.Inverse(row.By) })
		known[row] = known[row] || known[p] && (row.By.One && !strict || row.Table.KeyOf(row.By.Pairs, to))
		known[p] = known[p] || known[row] && (turned && !strict || p.Table.KeyOf(row.By.Pairs, from))
	case w != nil:
		known[row] = known[row] || known[w] && row.Table.KeyOf(row.Pairs, to)
		known[w] = known[w] || known[row] && w.Table.KeyOf(row.Pairs, from)
	}
}

// OnceEach is the form that takes each a once, without the join that gives it x.
func OnceEach(a, x Named) string {
	for _, l := range a.Row.Facet.Links {
		if l.L.To == x.Row.Table && !l.L.One {
			return fmt.Sprintf("leave the join out: a condition on %s is where(x => x.%s().some(y => …)) on the query of %s", x.Name, l.L.Name, a.Name)
		}
	}
	return "begin with the query of " + a.Name + ", without the join"
}
