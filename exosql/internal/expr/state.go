package expr

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file holds what expressions need of the statement in the making: the engine, the form in which it is compiled, and what they note
// in it. Package compile embeds it in its compiler.

// Engine is the database that a statement is written for.
type Engine struct {
	Dialect sqlast.Dialect
	// Form is how the database holds a column. nil: nobody knows, and all texts are compared twice.
	Form func(*decl.Column) decl.Form
	// Again: rows that were sorted as columns are stored had a misfit, see marked.
	Again bool
}

// State is what expressions read of the statement that they are written into, and note in it.
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
	Paging   bool     // the condition of a page whose rows are sorted as columns are stored is written
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

// MaxEmitted bounds what is written of it: an operand that is repeated could
// double with each level.
const MaxEmitted = 50_000

// form is how the database holds a column.
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

// form is how the database holds a column.
func (e Engine) FormOf(col *decl.Column) decl.Form {
	if e.Form == nil {
		return decl.Form{}
	}
	return e.Form(col)
}
