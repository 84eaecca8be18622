package compile

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the expressions that are queries of their own: what a callback asks of linked rows, and whether a value is among those of
// a query. They are compiled where they are written, by package compile.

// names is what the placeholders of the enclosing callbacks stand for.
type names map[*message.Node][]named

type named struct {
	name string
	row  *occurrence
}

// subquery is what a callback asks of the rows that a link of its row leads to: a column of the one row, an
// aggregate of them, or whether there are such rows. In the statement it is a subquery of that row, with tables that
// entered by their own scopes, so it has one value in each row and never makes two of one. What a program says of
// the linked rows stands inside it behind their scope, as in any query: behind a fence, in a guard, or of a plan that
// was judged open. What it says of the value stands outside, as of any column of the row.
//
// It is compiled anew wherever it is written: by then the row may be in another derived table.
type subquery struct {
	n   *message.Node
	env names
	of  Type
}

func (e subquery) Type() Type { return e.of }

func (e subquery) SQL(f *From) sqlast.Expr { return e.write(f, expr.SQL) }

// comparable is the value as it is compared and sorted, see Column.
func (e subquery) comparable(f *From) sqlast.Expr { return e.write(f, compared) }

// shown is the value as a result shows it.
func (e subquery) shown(f *From) sqlast.Expr {
	return e.write(f, func(x expr, sub *From) sqlast.Expr { return shown(x, sub) })
}

func (e subquery) write(f *From, how func(expr, *From) sqlast.Expr) sqlast.Expr {
	return f.c.queries.Value(f, e, how)
}

// Among is whether a value is among those of a query's one column. The query's tables enter by their own grants. It
// stands behind a fence of its own, so that no value of the outer rows is looked up in rows out of scope
// (TestAmongReads), and the condition itself stands where any other of the program does.
//
// NULL is no member: of a list with one, SQL's NOT IN would hold for no row. Where the value itself is NULL, both are unknown as of
// a list of values, and the negation of in in JavaScript's form holds.
type Among struct {
	x   expr
	n   *message.Node // the query
	env names
	not bool

	null bool // where x is NULL it holds
	held bool // unknown is as good as false
}

func (e Among) Type() Type { return Type{kind: value.TypeBool} }

func (e Among) SQL(f *From) sqlast.Expr { return f.c.queries.Among(f, e) }
