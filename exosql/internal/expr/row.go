package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has what the others build on: what an expression is, the rows that it reads, and the statement that it is written
// into. An expression has a row and a column and never a name: its From knows at the time of writing where the column is.

// Expr is an expression over rows. It becomes SQL when the from in which it is used is known.
type Expr interface {
	SQL(f *From) sqlast.Expr
	Type() Type
}

// Type describes the values of an expression.
type Type struct {
	Kind  string // a scalar type of exo
	Exact bool   // a calculated number: on SQLite a whole number or the text of a decimal, on PostgreSQL a numeric
	Size  Digits // of a number, or of a text; zero: as large as its kind allows

	Native decl.Native // of a text: its type in the database
}

func (t Type) Number() bool { return scalar.NumberRank(t.Kind) > 0 }

// Decimal reports whether comparing values of the type needs exact numbers.
func (t Type) Decimal() bool { return t.Exact || t.Kind == value.TypeDecimal }

// Digits bounds the length of a number: its digits before and after the point. They are known
// when a query is compiled, from the types of the operands. So a result that could become too
// long for an engine is refused for all rows or for none: PostgreSQL would fail only if there
// are long ones, which reveals them.
type Digits struct{ Whole, part int }

// Row is one row variable of a query: one use of one table.
type Row struct {
	Grant *scope.Grant // the grant whose scopes apply to it
	Facet *decl.Facet  // what a program sees of it; nil for hidden rows
	Table *decl.Table
	Form  func(*decl.Column) decl.Form // how the database stores its columns; nil: it is no row of a table
	Fixed []scope.Fixed                // the columns that its scope fixes
	Entry scope.Entry
	Gates []string // see fence.Table
	Alias string   // of the table itself, wherever its columns are now

	Parent *Row // the row from which a link leads to this one, or nil
	By     *decl.Link
	With   *Row        // the row to which a condition joined it, or nil: see joinedBy
	Pairs  []decl.Pair // the columns of that condition

	Optional bool // a left join may not find it: then all its columns are null

	Made calculated // not nil: it is no row of a table, but a group of rows, or the window of each row

	Sought *plan.Source // the last text for which its query was searched

	Selected Expr // not nil: it is no row, but what select showed under a name

	Depth     *decl.Column // of a row of a tree
	DepthName string       // the program's name for the depth
}

// calculated are outputs of a derived table that are calculated over the rows inside.
type calculated interface {
	Source() *From                // the rows inside
	Output(col *decl.Column) Expr // nil: there is no such output
}

// From is what expressions see of a FROM clause in the making: its rows, and the place of each.
type From struct {
	c      *State
	Outer  *From // the from around it, for EXISTS and IN
	Rows   []*Row
	At     map[*Row]Place
	Valued []Column // columns that are never null here, because of a condition of the program
}

// Place is where a row's columns are: in a table, or among the outputs of a derived table, to
// which each is added at its first use.
type Place struct {
	Alias   string
	Derived *Derived
}

// Derived is a derived table in the making: its rows, and the outputs that were used so far.
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

// Col returns the expression that reads a row's column, wherever the row is now.
func (f *From) Col(row *Row, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.Charge = max(f.c.Charge, col.Charge())
	p, ok := f.At[row]
	if !ok {
		if f.Outer == nil {
			return nil // sqlast refuses nil, so a row without a place is an error and not a name
		}
		return f.Outer.Col(row, col)
	}
	if p.Derived == nil {
		return sqlast.Column{Alias: p.Alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.Alias, Name: p.Derived.Expose(row, col)}
}

// Expose makes a column of a row an output, and returns the output's name.
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

// Out returns output n of a derived table.
func (d *Derived) Out(k OutKey, x sqlast.Expr, n int) sqlast.Output {
	d.Outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.Outs[k]}
}

// touch notes a row if a condition on the column needs a guard: the row's table is guarded, or
// a link compares the column with a column of a guarded table. Engines apply a condition on one
// end of a link to the other, too: its time would reveal that some row has the value.
func (c *State) touch(row *Row, col *decl.Column) {
	if len(c.Guards) == 0 || c.Satisfying || c.Linking || slices.Contains(c.Touched, row) {
		return
	}
	if c.Guarded(row) || slices.Contains(c.Compared, col) {
		c.Touched = append(c.Touched, row)
	}
}

func (c *State) Guarded(row *Row) bool { return slices.Contains(c.Guards, row.Alias) }

// Scanned reports whether a guarded table is read as a whole and not searched for its scope, since most of its rows are in scope.
func (c *State) Scanned(row *Row) bool { return slices.Contains(c.Scans, row.Alias) }

// fixes reports whether the scope of a row gives a column one value, or may: the rowid can be the fixed column under another name.
func (c *State) fixes(row *Row, col *decl.Column) bool {
	for _, f := range row.Fixed {
		// Compare by name: SQLite ignores case, and has several names for one column.
		if strings.EqualFold(f.Col.Name, col.Name) || slices.Contains([]string{"rowid", "oid", "_rowid_"}, strings.ToLower(col.Name)) {
			return true
		}
	}
	return false
}

// unindexed keeps SQLite from searching a column of a scope for any value but the scope's own:
// SQLite's plan shows that it searches for one value, and not which one. Otherwise a program
// that compares the tenant's column with another tenant's number would make SQLite search for
// that. (PostgreSQL's plan names the placeholder.) It also keeps SQLite from reading a guarded
// table in an order of the program, which the plan does not show. A table that is to be read as
// a whole is not searched for its scope.
func (f *From) unindexed(x sqlast.Expr, row *Row, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.Dialect != sqlast.SQLite || x == nil || f.c.Satisfying && (f.c.Guarding || !f.c.Scanned(row)) {
		return x
	}
	if f.c.Satisfying || f.c.fixes(row, col) || f.c.Sorting && f.c.Guarded(row) {
		return Call(sqlast.Unindexed, x)
	}
	return x
}

// Cell is an output of a group, in whatever place the group is now.
type Cell struct {
	Row *Row
	Col *decl.Column
	Of  Type

	List string // of a list: the kind of its items

	By   *decl.Column // of a key that shows one of several equal texts: the output that compares them
	Like decl.Form    // the equality of By
}

// SQL notes that a condition on the cell has no guard: an engine may move it to the grouped rows.
func (e Cell) SQL(f *From) sqlast.Expr {
	if f.c.Conditions > 0 && len(f.c.Guards) > 0 {
		f.c.Unguarded = true
	}
	return f.Col(e.Row, e.Col)
}

func (e Cell) Type() Type { return e.Of }

// NewFrom returns a From without rows.
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
	// Form returns how the database stores a column. nil: unknown, and all texts are compared twice.
	Form func(*decl.Column) decl.Form
	// Again: rows sorted by stored values had a misfit, so this statement sorts with guards; see marked.
	Again bool
	// Probe: read only the greatest row of an ascending stored order with a limit. If it is a misfit, the limit may hide misfits.
	Probe bool
}

// State is what expressions read and note about their statement. The compiler embeds it.
type State struct {
	Engine  Engine
	known   map[*decl.Column]decl.Form // the answers of Engine.Form
	Dialect sqlast.Dialect             // that of Engine
	Program bool                       // the statement is compiled from a message, as are all queries of programs and all writes, typed ones too
	Zoned   bool                       // local time is not UTC
	Queries queries

	fence.Form // the form in which the statement is compiled

	Slots   []plan.Source
	Emitted int // operations written; a repeated one counts each time
	Handled int // bytes of calculated texts in one row, weighted: see Handle
	Held    int // the same bytes, not weighted
	holding int // aggregates that hold values, see Holds
	Charge  int // the largest charge of a labelled column in the statement

	Unchanged  bool           // a condition of ifUnchanged is being interpreted
	Satisfying bool           // conditions of a scope are being written
	Guarding   bool           // the scope of a guard is being written
	Linking    bool           // the condition of a link is being written
	Compared   []*decl.Column // with guarded tables: all columns that links compare, from an earlier compilation
	Touched    []*Row         // rows with columns in the condition that is being guarded
	Unguarded  bool           // a condition that would need a guard has none
	Sorting    bool           // an order is being written, maybe by a column of a guarded table
	Conditions int            // how many nested conditions of the program are being written

	Needed   bool     // what is being written must be true: unknown is as good as false
	Fitted   []Column // columns whose misfits are null in the statement
	Raw      int      // above 0, columns are written as they are stored: see misfit.go
	Changing bool     // the rows of a change are being selected
	Base     *Row     // the row that is changed, once it is known
	Extremes bool     // the query asks only for the least or the greatest value of a column

	Over overWindow // the window of the aggregates that are being written, or nil

	Failed error // the first error while writing
}

// queries writes the queries within expressions. The compiler implements it: an expression only has the message's node.
type queries interface {
	// Value writes a subquery; how writes its value.
	Value(f *From, e Subquery, how func(Expr, *From) sqlast.Expr) sqlast.Expr
	// Among writes whether a value is among the values of a query.
	Among(f *From, e Among) sqlast.Expr
	// Column returns the column that a subquery reads from the one row that a link leads to; nil if it is something else.
	Column(f *From, e Subquery) *decl.Column
}

// overWindow writes an aggregate over the rows of a window.
type overWindow interface {
	Of(a sqlast.Aggregate) sqlast.Windowed
}

// MaxValues is how many values one statement may have. Both engines take more: 32,766 on SQLite, 65,535 on PostgreSQL.
const MaxValues = 30_000

// MaxEmitted bounds the operations of a statement: a repeated operand could double with each
// level.
const MaxEmitted = 50_000

// FormOf returns how the database stores a column.
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

// Forms returns FormOf for rows of a table of PostgreSQL, and nil for SQLite, whose texts have no other types.
func (c *State) Forms() func(*decl.Column) decl.Form {
	if c.Dialect != sqlast.Postgres {
		return nil
	}
	return c.FormOf
}

// Fail ends the compilation with an error while a statement is written.
func (c *State) Fail(err error) {
	if c.Failed == nil {
		c.Failed = err
	}
}

// Need writes a condition. holds: it must be true, so that unknown is as good as false.
func (c *State) Need(holds bool, write func() sqlast.Expr) sqlast.Expr {
	before := c.Needed
	c.Needed = holds
	x := write()
	c.Needed = before
	return x
}

// FormOf returns how the database stores a column.
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

// form returns how the database stores the column.
func (e Column) form() decl.Form {
	if e.Row == nil || e.Row.Form == nil { // on SQLite a text has no other type
		return decl.Form{}
	}
	return e.Row.Form(e.Col)
}

// ColumnOf returns a column of a row.
func ColumnOf(row *Row, col *decl.Column) Column { return Column{row, col} }

// single reports whether the column has PostgreSQL's type real. Its value is the number that is written:
// compared with a double, 0.1 would be another number, and no row would match the value that the program read.
func (e Column) single() bool { return e.Row.Form != nil && e.Row.Form(e.Col).Type == "real" }

// Operation is an operation on operands in the form in which they are compared.
type Operation struct {
	Op   sqlast.Op
	Args []Expr
	of   Type
}

func (e Operation) Type() Type { return e.of }

// Apply applies an operator to operands; of is the type of the result.
func Apply(op sqlast.Op, args []Expr, of Type) Operation { return Operation{op, args, of} }

// In is whether x is in a list, or is not.
type In struct {
	x    Expr
	list []Expr
	not  bool
}

func (e In) Type() Type { return Type{Kind: value.TypeBool} }

// InList is whether x is in a list, or is not.
func InList(x Expr, list []Expr, not bool) In { return In{x, list, not} }

// SortKey is an expression that rows are sorted by. A condition is negated twice: SQLite turns a
// condition that is never true, like in([]), into a constant, and reads a number alone in ORDER
// BY as the number of an output.
type SortKey struct {
	X      Expr
	Stored bool // a column, sorted as it is stored
}

// SortBy returns the key that sorts rows in the order of x.
func SortBy(x Expr) SortKey { return SortKey{X: x} }

func (e SortKey) Type() Type { return e.X.Type() }

// Call is an operation of SQL.
func Call(op sqlast.Op, args ...sqlast.Expr) sqlast.Expr { return sqlast.Call{Op: op, Args: args} }

// Compared writes an expression as it is compared and sorted.
func Compared(e Expr, f *From) sqlast.Expr {
	if c, ok := e.(interface{ comparable(*From) sqlast.Expr }); ok {
		return c.comparable(f)
	}
	return e.SQL(f)
}

// Mapped returns the results of f for each expression.
func Mapped[T any](args []Expr, f func(Expr) T) []T {
	out := make([]T, len(args))
	for i, a := range args {
		out[i] = f(a)
	}
	return out
}

// Determines adds to known the row if the row that it is joined to is known, and the reverse, in each case if the join leads to one
// row at most. strict trusts only keys: a link that is declared to lead to one row may end at a column that several rows share.
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

// OnceEach returns a hint for using each row of a once: without the join that repeats it for each row of x.
func OnceEach(a, x Named) string {
	for _, l := range a.Row.Facet.Links {
		if l.L.To == x.Row.Table && !l.L.One {
			return fmt.Sprintf("leave the join out: a condition on %s is where(x => x.%s().some(y => …)) on the query of %s", x.Name, l.L.Name, a.Name)
		}
	}
	return "begin with the query of " + a.Name + ", without the join"
}

// Joined notes the columns by which a condition joins row to rows of the query before it.
func Joined(before []Named, row *Row, on Expr) {
	if row == nil || row.Parent != nil {
		return
	}
	for _, c := range Conjuncts(on) {
		op, ok := c.(Operation)
		if !ok || op.Op != sqlast.Eq && op.Op != sqlast.Is {
			continue
		}
		a, isA := KeyColumn(op.Args[0])
		b, isB := KeyColumn(op.Args[1])
		if a.Row == row {
			a, b = b, a
		}
		if isA && isB && b.Row == row && (row.With == nil || row.With == a.Row) && slices.ContainsFunc(before, func(x Named) bool { return x.Row == a.Row }) {
			row.With, row.Pairs = a.Row, append(row.Pairs, decl.Pair{From: a.Col, To: b.Col})
		}
	}
}

// Strange reports whether a callback uses a placeholder that belongs neither to it nor to a callback within it.
func Strange(n *message.Node, own []*message.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Op == message.OpParam:
		return !slices.Contains(own, n)
	case n.Op == message.OpLambda:
		own = append(slices.Clip(own), n.Recv)
	case Strange(n.Recv, own):
		return true
	}
	return slices.ContainsFunc(n.Args, func(a *message.Node) bool { return Strange(a, own) })
}
