package expr

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the expressions that are queries of their own: what a callback asks of linked rows, and whether a value is among those of
// a query. They are compiled where they are written, by package compile.

// Names is what the placeholders of the enclosing callbacks stand for.
type Names map[*message.Node][]Named

// Named is a row under the name that a callback has for it.
type Named struct {
	Name string
	Row  *Row
}

// Subquery is what a callback asks of the rows that a link of its row leads to: a column of the one row, an
// aggregate of them, or whether there are such rows. In the statement it is a subquery of that row, with tables that
// entered by their own scopes, so it has one value in each row and never makes two of one. What a program says of
// the linked rows stands inside it behind their scope, as in any query: behind a fence, in a guard, or of a plan that
// was judged open. What it says of the value stands outside, as of any column of the row.
//
// It is compiled anew wherever it is written: by then the row may be in another derived table.
type Subquery struct {
	N   *message.Node
	Env Names
	Of  Type
}

func (e Subquery) Type() Type { return e.Of }

func (e Subquery) SQL(f *From) sqlast.Expr { return e.write(f, Expr.SQL) }

// comparable is the value as it is compared and sorted, see Column.
func (e Subquery) comparable(f *From) sqlast.Expr { return e.write(f, Compared) }

// shown is the value as a result shows it.
func (e Subquery) shown(f *From) sqlast.Expr {
	return e.write(f, func(x Expr, sub *From) sqlast.Expr { return Shown(x, sub) })
}

func (e Subquery) write(f *From, how func(Expr, *From) sqlast.Expr) sqlast.Expr {
	return f.c.Queries.Value(f, e, how)
}

// Among is whether a value is among those of a query's one column. The query's tables enter by their own grants. It
// stands behind a fence of its own, so that no value of the outer rows is looked up in rows out of scope
// (TestAmongReads), and the condition itself stands where any other of the program does.
//
// NULL is no member: of a list with one, SQL's NOT IN would hold for no row. Where the value itself is NULL, both are unknown as of
// a list of values, and the negation of in in JavaScript's form holds.
type Among struct {
	X   Expr
	N   *message.Node // the query
	Env Names
	Not bool

	Null bool // where x is NULL it holds
	Held bool // unknown is as good as false
}

func (e Among) Type() Type { return Type{Kind: value.TypeBool} }

func (e Among) SQL(f *From) sqlast.Expr { return f.c.Queries.Among(f, e) }
