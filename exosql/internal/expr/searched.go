package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/search"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the search for a text in the texts of a row.

// Searched is the condition that the texts of a row match a search, or the rank of the match: see package
// search. It is like every condition of the program: behind the fence, in a guard, or in a plan that
// reads only rows in scope (see package fence). So no row out of scope is split into words
// (TestSearchFence). No index serves it.
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
		return sqlast.Null // package compile then refuses the statement as too large
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

// Searching returns the search for a text in a row. An engine folds each text and splits it into
// words, and nothing stops it within a row: see Handle.
func (f *From) Searching(row *Row, text plan.Source, rank bool) Searched {
	n := len(row.Searched().Cols) * 4 * search.MaxText
	f.c.Handled += 3 * n
	f.c.Held += 3 * n
	return Searched{row, row.Searched(), text, rank}
}

// Searched returns the columns of a row that can be searched, or nil if there are none.
func (o *Row) Searched() *decl.Search {
	if o.Facet == nil {
		return nil
	}
	return o.Facet.Search
}
