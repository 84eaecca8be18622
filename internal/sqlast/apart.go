package sqlast

// This file keeps SQLite from putting a value in place of a column. From "a.id = 5" SQLite concludes that a.id is 5, also in the subqueries of the
// same WHERE. Such a subquery then depends on no row of a, so SQLite evaluates it before it has found one. Where a is a fence, a program could so
// try its condition on what a row out of scope is linked to (TestFenceLinks).

// apart returns s with each value that a condition equates with a column as the result of a subquery, from which SQLite concludes nothing.
// Without a derived table there is no fence, and a condition that reads rows is behind a guard.
func apart(s *Select) *Select {
	fenced := false
	for _, src := range s.From {
		fenced = fenced || src.Sub != nil || src.Recursion != nil
	}
	if !fenced {
		return s
	}
	out := *s
	out.From, out.Where = nil, asking(s.Where)
	for _, src := range s.From {
		src.On = asking(src.On)
		out.From = append(out.From, src)
	}
	return &out
}

// asked is x as the result of a subquery.
type asked struct{ x Expr }

func (asked) expr() {}

// asking replaces the values in conditions that are joined by AND.
func asking(all []Expr) (out []Expr) {
	for _, e := range all {
		switch x := e.(type) {
		case Call:
			if x.Op == And {
				e = Call{And, asking(x.Args)}
			} else if x.Op == Eq {
				e = Call{Eq, []Expr{besides(x.Args[0], x.Args[1]), besides(x.Args[1], x.Args[0])}}
			}
		case In: // SQLite reads IN (5) as = 5
			if len(x.List) == 1 && !x.Not && !x.alone() {
				e = Call{Eq, []Expr{x.X, besides(x.List[0], x.X)}}
			}
		}
		out = append(out, e)
	}
	return out
}

// besides returns the operand x of an equality with y, as a subquery if x is a value and y a column.
func besides(x, y Expr) Expr {
	if _, column := y.(Column); column && arguments([]Expr{x}) {
		return asked{x}
	}
	return x
}
