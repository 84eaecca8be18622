package expr

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the expressions that contain queries: what a callback asks about linked rows, and
// whether a query contains a value. Package compile writes the queries.

// Names has the rows that the parameters of the enclosing callbacks mean.
type Names map[*message.Node][]Named

// Named is a row, with its name in a callback.
type Named struct {
	Name string
	Row  *Row
}

// Subquery is what a callback asks about the rows that a link of its row leads to: a column of the one row,
// an aggregate, or whether such rows exist. In the statement it is a subquery, and each of its tables has
// its own scope. It has one value in each row, and duplicates no row. The program's conditions on linked rows are
// inside it. No engine tries them on a row out of scope: package fence has the forms that ensure this. Conditions
// on the value are outside, like those on any column.
//
// A Subquery is compiled again at each use, since the row may be in another derived table by then.
type Subquery struct {
	N   *message.Node
	Env Names
	Of  Type
}

func (e Subquery) Type() Type { return e.Of }

func (e Subquery) SQL(f *From) sqlast.Expr { return e.write(f, Expr.SQL) }

// comparable writes the value in the form in which it is compared and sorted: see Column.
func (e Subquery) comparable(f *From) sqlast.Expr { return e.write(f, Compared) }

// shown writes the value in the form in which a result shows it.
func (e Subquery) shown(f *From) sqlast.Expr {
	return e.write(f, func(x Expr, sub *From) sqlast.Expr { return Shown(x, sub) })
}

func (e Subquery) write(f *From, how func(Expr, *From) sqlast.Expr) sqlast.Expr {
	return f.c.Queries.Value(f, e, how)
}

// Among is the condition that a query's one column contains a value. The query's tables enter with their
// own grants. The query is behind its own fence, so no value of the outer rows is looked up in rows out
// of scope (TestAmongReads). The condition is like every other condition of the program.
//
// NULLs in the query are ignored: with a NULL, SQL's NOT IN would be true for no row. If the value itself
// is NULL, both in and notIn are unknown, as for a list; the negation of in, in JavaScript's form, is
// true.
type Among struct {
	X   Expr
	N   *message.Node // N is the query
	Env Names
	Not bool

	Null bool // Null: the condition is true if X is NULL
	Held bool // Held: unknown serves as well as false
}

func (e Among) Type() Type { return Type{Kind: value.TypeBool} }

func (e Among) SQL(f *From) sqlast.Expr { return f.c.Queries.Among(f, e) }
