package sqlast

// For SQLite, this file turns a condition that a key is among some rows into a join. SQLite collects all rows of IN (SELECT …) before it reads a
// table: a lookup of ten rows cost a list of all customers of a large tenant. A join can begin at either table.

// maxJoined is the most tables of a FROM with such joins. SQLite allows 64, and its planner tries all their orders.
const maxJoined = 8

// joined returns s with a join in place of each such condition of its WHERE. The conditions of the replaced select move into that WHERE. Aliases are
// unique in a statement, so no alias changes its meaning there. No row is doubled, because no two rows of a joined table have the same key.
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

// joins reports whether a join with the only table of e's select finds the same rows as e.
func (e InSelect) joins() bool {
	s := e.Sub
	return s.Key && len(e.And) == 0 && len(s.From) == 1 && s.From[0].Table != "" && len(s.From[0].On) == 0 &&
		len(s.Columns) == 1 && s.Group+s.DistinctOn+len(s.Windows)+len(s.Limit)+len(s.Offset) == 0
}
