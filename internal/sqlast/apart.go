package sqlast

// This file keeps SQLite from putting a value in place of a column. From "a.id = 5" SQLite concludes that a.id is 5, also in the subqueries of the
// same WHERE. Such a subquery then depends on no row of a, so SQLite evaluates it before it has found one. If a is a derived table with the rows
// in scope, a program could test what a row out of scope is linked to (TestFenceLinks).

import "slices"

// apart returns s with each value that a condition equates with a column as the result of a subquery, from which SQLite concludes nothing. It leaves
// s unchanged without a derived table, since a CASE then tests the scope first, and without a subquery, since no value can move there.
func apart(s *Select) *Select {
	fenced, asks := false, slices.ContainsFunc(s.Where, asksRows)
	for _, src := range s.From {
		fenced, asks = fenced || src.Sub != nil || src.Recursion != nil, asks || slices.ContainsFunc(src.On, asksRows)
	}
	if !fenced || !asks {
		return s
	}
	out := *s
	out.From, out.Where = slices.Clone(s.From), asking(s.Where)
	for i := range out.From {
		out.From[i].On = asking(out.From[i].On)
	}
	return &out
}

// asksRows reports whether an expression may have a subquery.
func asksRows(e Expr) bool {
	switch e := e.(type) {
	case Column, Arg, Const:
		return false
	case Call:
		return slices.ContainsFunc(e.Args, asksRows)
	case In:
		return asksRows(e.X) || slices.ContainsFunc(e.List, asksRows)
	}
	return true
}

// asked is the expression x, written as a subquery that returns its value.
type asked struct{ x Expr }

func (asked) expr() {}

// asking returns the conditions, joined by AND, with each value that is equated with a column as a subquery.
func asking(all []Expr) (out []Expr) {
	for _, e := range all {
		switch x := e.(type) {
		case Call:
			if x.Op == And {
				e = Call{And, asking(x.Args)}
			} else if x.Op == Eq {
				e = Call{Eq, []Expr{apartOf(x.Args[0], x.Args[1]), apartOf(x.Args[1], x.Args[0])}}
			}
		case In: // SQLite reads IN (5) as = 5
			if len(x.List) == 1 && !x.Not && !x.alone() {
				e = Call{Eq, []Expr{x.X, apartOf(x.List[0], x.X)}}
			}
		}
		out = append(out, e)
	}
	return out
}

// apartOf returns the operand x of x = y, as a subquery if x is a value and y a column.
func apartOf(x, y Expr) Expr {
	if _, column := y.(Column); column && arguments([]Expr{x}) {
		return asked{x}
	}
	return x
}
