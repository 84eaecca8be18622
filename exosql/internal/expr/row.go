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

// This file has the basic types: an expression, the rows that it reads, and the state of the statement in which it is written. An
// expression refers to a row and a column, never to a name. Its From knows, when it is written, where the column is.

// Expr is an expression over rows. It becomes SQL for the from in which it is used.
type Expr interface {
	SQL(f *From) sqlast.Expr
	Type() Type
}

// Type describes the values of an expression.
type Type struct {
	Kind  string // Kind is a scalar type of exo
	Exact bool   // Exact marks a calculated number: on SQLite a whole number or the text of a decimal, on PostgreSQL a numeric
	Size  Digits // Size bounds a number or a text; zero means as large as the kind allows

	Native decl.Native // Native is the type of a text in the database
}

func (t Type) Number() bool { return scalar.NumberRank(t.Kind) > 0 }

// Decimal reports whether comparing values of the type needs exact numbers.
func (t Type) Decimal() bool { return t.Exact || t.Kind == value.TypeDecimal }

// Digits bounds a number's digits before and after the point, by the types of the operands. So a
// result that may become too long for an engine is refused for all rows or for none. PostgreSQL
// itself would fail only if a row has a long result, which would reveal that row.
type Digits struct{ Whole, part int }

// Row is a row variable of a query: one occurrence of one table.
type Row struct {
	Grant *scope.Grant // Grant has the scopes that apply to the row
	Facet *decl.Facet  // Facet is what a program sees of the row; nil for hidden rows
	Table *decl.Table
	Form  func(*decl.Column) decl.Form // Form returns how the database stores the row's columns; nil if it is no row of a table
	Fixed []scope.Fixed                // Fixed are the columns that the row's scope fixes
	Entry scope.Entry
	Gates []string // Gates are aliases of tables that must each have a row: see fence.Table
	Alias string   // Alias is the alias of the table itself, wherever its columns are now

	Parent *Row // Parent is the row from which a link leads to this one; nil if no link does
	By     *decl.Link
	With   *Row        // With is the row to which a condition joined this one, or nil: see Joined
	Pairs  []decl.Pair // Pairs are the columns of that condition

	Optional bool // Optional: a left join may not find the row, and then all its columns are null

	Made calculated // Made is set for a group of rows, and for the window of a row; nil for a row of a table

	Sought *plan.Source // Sought is the last text that the query was searched for

	Selected Expr // Selected is set if this is no row but a value that select named

	Depth     *decl.Column // Depth is the column for the depth of a row in a tree
	DepthName string       // DepthName is the program's name for the depth
}

// calculated has outputs of a derived table that are calculated from the rows inside it.
type calculated interface {
	Source() *From                // Source returns the rows inside
	Output(col *decl.Column) Expr // Output returns the expression of an output, or nil if there is none
}

// From is a FROM clause that is being built, as expressions see it: its rows, and the place of each.
type From struct {
	c      *State
	Outer  *From // Outer is the from around it, in EXISTS and IN
	Rows   []*Row
	At     map[*Row]Place
	Valued []Column // Valued are columns that a condition of the program makes never null here
}

// Place is where the columns of a row are: in a table, or among the outputs of a derived table,
// which gets each column at its first use.
type Place struct {
	Alias   string
	Derived *Derived
}

// Derived is a derived table that is being built: its rows, and the outputs that are used so far.
type Derived struct {
	Inner *From
	Sel   *sqlast.Select
	Outs  map[OutKey]string
}

// OutKey identifies a column of a row among the outputs of a derived table.
type OutKey struct {
	Row *Row
	Col *decl.Column
}

// Col returns the SQL that reads a row's column, wherever the row is now.
func (f *From) Col(row *Row, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.Charge = max(f.c.Charge, col.Charge())
	p, ok := f.At[row]
	if !ok {
		if f.Outer == nil {
			return nil // sqlast refuses nil, so a row without a place becomes an error and not a wrong name
		}
		return f.Outer.Col(row, col)
	}
	if p.Derived == nil {
		return sqlast.Column{Alias: p.Alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.Alias, Name: p.Derived.Expose(row, col)}
}

// Expose adds a column of a row to the outputs of a derived table, and returns the output's name.
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

// Out makes output number n of a derived table.
func (d *Derived) Out(k OutKey, x sqlast.Expr, n int) sqlast.Output {
	d.Outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.Outs[k]}
}

// touch notes a row if a condition on its column needs a guard (see package fence): the table is
// guarded, or a link compares the column with one of a guarded table. Engines apply a condition
// on one end of a link to the other end too. The time that this takes would reveal that some row
// has the value.
func (c *State) touch(row *Row, col *decl.Column) {
	if len(c.Guards) == 0 || c.Satisfying || c.Linking || slices.Contains(c.Touched, row) {
		return
	}
	if c.Guarded(row) || slices.Contains(c.Compared, col) {
		c.Touched = append(c.Touched, row)
	}
}

func (c *State) Guarded(row *Row) bool { return slices.Contains(c.Guards, row.Alias) }

// Scanned reports whether the engine reads a guarded table as a whole instead of searching for its scope, since most rows are in scope.
func (c *State) Scanned(row *Row) bool { return slices.Contains(c.Scans, row.Alias) }

// fixes reports whether a row's scope gives a column one value, or may do so: the rowid can be the fixed column under another name.
func (c *State) fixes(row *Row, col *decl.Column) bool {
	for _, f := range row.Fixed {
		// Names are compared since SQLite ignores their case and has several for one column.
		if strings.EqualFold(f.Col.Name, col.Name) || slices.Contains([]string{"rowid", "oid", "_rowid_"}, strings.ToLower(col.Name)) {
			return true
		}
	}
	return false
}

// unindexed keeps SQLite from searching a scope's column for any value but the scope's own.
// SQLite's plan shows that it searches for one value, but not for which one. Otherwise a program
// could make it search for another tenant's number. (PostgreSQL's plan names the parameter.)
// unindexed also keeps SQLite from reading a guarded table in a program's order, which the plan
// does not show. A table that is read as a whole is not searched for its scope.
func (f *From) unindexed(x sqlast.Expr, row *Row, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.Dialect != sqlast.SQLite || x == nil || f.c.Satisfying && (f.c.Guarding || !f.c.Scanned(row)) {
		return x
	}
	if f.c.Satisfying || f.c.fixes(row, col) || f.c.Sorting && f.c.Guarded(row) {
		return Call(sqlast.Unindexed, x)
	}
	return x
}

// Cell is an output of a group, wherever the group is now.
type Cell struct {
	Row *Row
	Col *decl.Column
	Of  Type

	List string // List is the type of a list's items

	By   *decl.Column // By is set for a key that shows one of several equal texts: the output that compares them
	Like decl.Form    // Like is how the database compares By
}

// SQL also notes that a condition on the cell has no guard: an engine may move it to the rows inside the group.
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

// Sees reports whether expressions can read the columns of a row here.
func (f *From) Sees(row *Row) bool {
	for ; f != nil; f = f.Outer {
		if _, ok := f.At[row]; ok {
			return true
		}
	}
	return false
}

// Engine is the database for which a statement is written.
type Engine struct {
	Dialect sqlast.Dialect
	// Form returns how the database stores a column. If Form is nil, the form is unknown, and all texts are compared twice.
	Form func(*decl.Column) decl.Form
	// Again: rows sorted by stored values had a misfit (see misfit.go), so this statement sorts with guards. See marked in package compile.
	Again bool
	// Probe: the statement reads only the greatest row of an ascending stored order with a limit. If that is a misfit, the limit may hide misfits.
	Probe bool
}

// State is what expressions read and note about the statement. The compiler embeds it.
type State struct {
	Engine  Engine
	known   map[*decl.Column]decl.Form // known has the answers of Engine.Form
	Dialect sqlast.Dialect             // Dialect is the dialect of Engine
	Program bool                       // Program: the statement is compiled from a message, like all queries of programs and all writes
	Zoned   bool                       // Zoned: local time is not UTC
	Queries queries

	fence.Form // Form is the form in which the statement is compiled

	Slots   []plan.Source
	Emitted int // Emitted counts the operations that were written, a repeated one each time
	Handled int // Handled counts the bytes of calculated texts in one row, weighted: see Handle
	Held    int // Held counts the same bytes without weight
	holding int // holding counts the aggregates that keep their values: see Holds
	Charge  int // Charge is the largest charge of a labelled column in the statement

	Unchanged  bool           // Unchanged: a condition of ifUnchanged is being interpreted
	Satisfying bool           // Satisfying: conditions of a scope are being written
	Guarding   bool           // Guarding: the scope of a guard is being written
	Linking    bool           // Linking: the condition of a link is being written
	Compared   []*decl.Column // Compared are all columns that links compare; for guarded tables, an earlier compilation has found them
	Touched    []*Row         // Touched are the rows with columns in the condition that is being guarded
	Unguarded  bool           // Unguarded: a condition that would need a guard has none
	Sorting    bool           // Sorting: an order is being written, perhaps by a column of a guarded table
	Conditions int            // Conditions counts the nested conditions of the program that are being written

	Needed   bool     // Needed: what is being written must be true, so unknown serves as well as false
	Fitted   []Column // Fitted are the columns with misfits that the statement treats as null
	Raw      int      // Raw above 0 means that columns are written without guards: see misfit.go
	Changing bool     // Changing: the rows of a change are being selected
	Base     *Row     // Base is the row that is changed, once it is known
	Extremes bool     // Extremes: the query asks only for the least or the greatest value of a column

	Over overWindow // Over is the window of the aggregates that are being written; nil if they are over no window

	Failed error // Failed is the first error while writing
}

// queries writes the queries inside expressions, since an expression has only the message's node for a query. The compiler implements it.
type queries interface {
	// Value writes a subquery. The function how writes the subquery's value.
	Value(f *From, e Subquery, how func(Expr, *From) sqlast.Expr) sqlast.Expr
	// Among writes the condition that a value is among the values of a query.
	Among(f *From, e Among) sqlast.Expr
	// Column returns the column that a subquery reads from the one row that a link leads to, or nil if the subquery does something else.
	Column(f *From, e Subquery) *decl.Column
}

// overWindow writes an aggregate over the rows of a window.
type overWindow interface {
	Of(a sqlast.Aggregate) sqlast.Windowed
}

// MaxValues bounds the values of one statement. The engines take more: 32,766 on SQLite, 65,535 on PostgreSQL.
const MaxValues = 30_000

// MaxEmitted bounds the operations of a statement, since a repeated operand could double its size
// with each level.
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

// Forms returns FormOf for a row's Form on PostgreSQL. On SQLite it returns nil, since texts have no other types there.
func (c *State) Forms() func(*decl.Column) decl.Form {
	if c.Dialect != sqlast.Postgres {
		return nil
	}
	return c.FormOf
}

// Fail notes the first error while a statement is written, which ends the compilation.
func (c *State) Fail(err error) {
	if c.Failed == nil {
		c.Failed = err
	}
}

// Need calls the function write for a condition. If holds is set, the condition must be true, so unknown serves as well as false.
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

// Column is a column of a row, as an expression.
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
	if e.Row == nil || e.Row.Form == nil { // SQLite stores a text in no other type
		return decl.Form{}
	}
	return e.Row.Form(e.Col)
}

// ColumnOf returns a column of a row as an expression.
func ColumnOf(row *Row, col *decl.Column) Column { return Column{row, col} }

// single reports whether the column has PostgreSQL's type real. Such a column is compared as the number
// that its text spells. As a double, 0.1 would be another number, and a value that the program read would
// match no row.
func (e Column) single() bool { return e.Row.Form != nil && e.Row.Form(e.Col).Type == "real" }

// Operation is an operation on operands that have the form in which they are compared.
type Operation struct {
	Op   sqlast.Op
	Args []Expr
	of   Type
}

func (e Operation) Type() Type { return e.of }

// Apply returns the operation of an operator on operands. of is the type of the result.
func Apply(op sqlast.Op, args []Expr, of Type) Operation { return Operation{op, args, of} }

// In is the condition that x is in a list or, if not is set, that x is not in the list.
type In struct {
	x    Expr
	list []Expr
	not  bool
}

func (e In) Type() Type { return Type{Kind: value.TypeBool} }

// InList returns the condition that x is in a list or, if not is set, that x is not in the list.
func InList(x Expr, list []Expr, not bool) In { return In{x, list, not} }

// SortKey is an expression that sorts rows. A condition is negated twice: SQLite turns a condition
// that is never true, like in([]), into a number. In ORDER BY, a plain number is the number of an
// output.
type SortKey struct {
	X      Expr
	Stored bool // Stored: X is a column, sorted as it is stored
}

// SortBy returns the key that sorts rows in the order of x.
func SortBy(x Expr) SortKey { return SortKey{X: x} }

func (e SortKey) Type() Type { return e.X.Type() }

// Call returns an operation of SQL.
func Call(op sqlast.Op, args ...sqlast.Expr) sqlast.Expr { return sqlast.Call{Op: op, Args: args} }

// Compared writes an expression in the form in which it is compared and sorted.
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

// Determines adds to the map known each row that a known row determines: a row at the other end of a join that leads to at most one
// row. If strict is set, only a join to a key counts. A link that is declared to lead to one row may end at a column that several
// rows share.
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

// OnceEach returns a hint for a program that wants to use each row of a only once: how to do without the join that repeats the row for each row of x.
func OnceEach(a, x Named) string {
	for _, l := range a.Row.Facet.Links {
		if l.L.To == x.Row.Table && !l.L.One {
			return fmt.Sprintf("leave the join out: a condition on %s is where(x => x.%s().some(y => …)) on the query of %s", x.Name, l.L.Name, a.Name)
		}
	}
	return "begin with the query of " + a.Name + ", without the join"
}

// Joined notes by which columns a join's condition, the argument on, joins row to one of the rows before it.
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

// Strange reports whether callback n uses the parameter of a callback that encloses it. own has the parameters that n may use.
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
