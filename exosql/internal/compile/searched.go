package compile

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
	row  *occurrence
	by   *decl.Search
	text plan.Source
	rank bool
}

func (e Searched) Type() Type {
	if e.rank {
		return Type{kind: value.TypeInt}
	}
	return Type{kind: value.TypeBool}
}

func (e Searched) SQL(f *From) sqlast.Expr {
	if f.c.emitted += len(e.by.Cols); f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	a := Argument{src: e.text, kind: value.TypeText}
	var x sqlast.Searched
	switch {
	case f.c.dialect == sqlast.SQLite:
		a = a.as(plan.ArgSearch)
	case e.rank:
		a = a.as(plan.ArgRank)
	default:
		x.Needle = a.as(plan.ArgSought).SQL(f).(sqlast.Arg)
		a = a.as(plan.ArgMatch)
	}
	x.Query, x.Rank = a.SQL(f).(sqlast.Arg), e.rank
	for _, c := range e.by.Cols {
		x.Texts = append(x.Texts, Text{Column{e.row, c}}.SQL(f))
	}
	return x
}

// searching makes the expression of a text that is searched for in a row. An engine folds each text and cuts it into words, and
// nothing stops it within a row: see handle.
func (f *From) searching(row *occurrence, text plan.Source, rank bool) Searched {
	n := len(row.searched().Cols) * 4 * search.MaxText
	f.c.handled += 3 * n
	f.c.held += 3 * n
	return Searched{row, row.searched(), text, rank}
}

// searched is what can be searched in a row, or nil.
func (o *occurrence) searched() *decl.Search {
	if o.facet == nil {
		return nil
	}
	return o.facet.Search
}
