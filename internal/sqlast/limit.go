package sqlast

// bounds writes the LIMIT and the OFFSET of s, because squirrel's own functions accept only numbers. The value of a limit must never give
// more rows. But SQLite reads a negative limit as none, Postgres reads a NULL limit as none, and its LEAST ignores NULL. So bounds makes
// each limit at least 0. (Postgres's GREATEST turns NULL into 0; SQLite refuses NULL.)
func (f *fragment) bounds(s *Select) *fragment {
	switch {
	case len(s.Limit) > 0:
		f.write("LIMIT ").limit(s.Limit)
	case f.dialect == SQLite: // SQLite needs a LIMIT for an OFFSET
		f.write("LIMIT -1")
	}
	if len(s.Offset) == 0 {
		return f
	}
	if len(s.Limit) > 0 || f.dialect == SQLite {
		f.write(" ")
	}
	return f.write("OFFSET ").offset(s.Offset)
}

func (f *fragment) limit(list []Expr) *fragment {
	switch {
	case len(list) == 1:
		return f.bound(list[0])
	case f.dialect == Postgres:
		return f.each("LEAST(", ", ", ")", list)
	}
	return f.each("min(", ", ", ")", list)
}

func (f *fragment) offset(list []Expr) *fragment {
	if len(list) == 1 {
		return f.bound(list[0])
	}
	return f.each("(", " + ", ")", list)
}

func (f *fragment) each(open, sep, end constant, list []Expr) *fragment {
	f.write(open)
	for i, e := range list {
		f.sep(i, sep).bound(e)
	}
	return f.write(end)
}

// bound writes one limit or offset so that it can't be negative.
func (f *fragment) bound(e Expr) *fragment {
	arg, ok := e.(Arg)
	if !ok {
		return f.add(e)
	}
	if f.dialect == Postgres {
		return f.write("GREATEST(").arg(Arg{Slot: arg.Slot, Cast: CastBigint}).write(", 0)")
	}
	return f.write("max(").arg(arg).write(", 0)")
}
