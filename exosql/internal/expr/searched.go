package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/search"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the expression of a text that is searched for in the texts of a row.

// Searched is whether the texts of a row have what a text looks for, or how well they match it; see package search. It is a condition
// of the program like any other: no index serves it, and it stands behind the fence, in a guard, or
// in a plan that was judged open, so no row out of scope is cut into words (TestSearchFence).
type Searched struct {
	row  *Row
	by   *decl.Search
	text plan.Source
	rank bool
}

func (e Searched) Type() Type {
	if e.rank {
		return Type{Kind: value.TypeInt}
	}
	return Type{Kind: value.TypeBool}
}

func (e Searched) SQL(f *From) sqlast.Expr {
	if f.c.Emitted += len(e.by.Cols); f.c.Emitted > MaxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	a := Argument{Src: e.text, Kind: value.TypeText}
	var x sqlast.Searched
	switch {
	case f.c.Dialect == sqlast.SQLite:
		a = a.As(plan.ArgSearch)
	case e.rank:
		a = a.As(plan.ArgRank)
	default:
		x.Needle = a.As(plan.ArgSought).SQL(f).(sqlast.Arg)
		a = a.As(plan.ArgMatch)
	}
	x.Query, x.Rank = a.SQL(f).(sqlast.Arg), e.rank
	for _, c := range e.by.Cols {
		x.Texts = append(x.Texts, Text{Column{e.row, c}}.SQL(f))
	}
	return x
}

// Searching makes the expression of a text that is searched for in a row. An engine folds each text and cuts it into words, and
// nothing stops it within a row: see handle.
func (f *From) Searching(row *Row, text plan.Source, rank bool) Searched {
	n := len(row.Searched().Cols) * 4 * search.MaxText
	f.c.Handled += 3 * n
	f.c.Held += 3 * n
	return Searched{row, row.Searched(), text, rank}
}

// Searched is what can be searched in a row, or nil.
func (o *Row) Searched() *decl.Search {
	if o.Facet == nil {
		return nil
	}
	return o.Facet.Search
}
