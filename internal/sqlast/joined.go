package sqlast

// This file writes conditions that a key is among some rows as joins, for SQLite. SQLite collects the rows of IN (SELECT …) before it reads a
// table, and never asks for one of them: a lookup of ten rows cost a list of all customers of a large tenant. A join it plans in both directions.

// maxJoined bounds the tables of such a FROM. SQLite takes 64, and plans them in all orders.
const maxJoined = 8

// joined returns s with those conditions of its WHERE as joins, and with the conditions of their selects in place of them. Aliases are unique in a
// statement, so none means something else there. No row becomes two, since no two rows have one key.
func joined(s *Select) *Select {
	out := *s
	out.From, out.Where = s.From[:len(s.From):len(s.From)], nil
	for _, e := range s.Where {
		out.join(e)
	}
	return &out
}

func (s *Select) join(e Expr) {
	in, ok := e.(InSelect)
	if !ok || !in.joins() || len(s.From) >= maxJoined {
		s.Where = append(s.Where, e)
		return
	}
	table := in.Sub.From[0]
	table.On = []Expr{Call{Op: Eq, Args: []Expr{in.X, in.Sub.Columns[0].Expr}}}
	s.From = append(s.From, table)
	for _, e := range in.Sub.Where {
		s.join(e)
	}
}

// joins reports whether e is true of the same rows as a join with the one table of its select.
func (e InSelect) joins() bool {
	s := e.Sub
	return s.Key && len(e.And) == 0 && len(s.From) == 1 && s.From[0].Table != "" && len(s.From[0].On) == 0 &&
		len(s.Columns) == 1 && s.Group+s.DistinctOn+len(s.Windows)+len(s.Limit)+len(s.Offset) == 0
}
