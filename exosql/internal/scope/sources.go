package scope

import (
	"errors"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Sources is the FROM of a query: tables that entered by their scope, and derived tables of
// queries whose own sources did.
type Sources struct{ list []sqlast.Source }

// Derived is a FROM of one derived table.
func Derived(sub *sqlast.Select, alias string) Sources {
	return Sources{[]sqlast.Source{{Sub: sub, Alias: alias}}}
}

// Combined is a FROM of one derived table: of the rows of two queries, as set says.
func Combined(a *sqlast.Select, set sqlast.Set, b *sqlast.Select, alias string) Sources {
	return Sources{[]sqlast.Source{{Sub: a, Set: set, With: b, Alias: alias}}}
}

// Tree is a FROM of one derived table: of rows, and those that are reached from them again and again.
func Tree(r *sqlast.Recursion, alias string) Sources {
	return Sources{[]sqlast.Source{{Recursion: r, Alias: alias}}}
}

// Step is a FROM of the rows before, in the second arm of the tree with an alias.
func Step(tree, alias string) Sources {
	return Sources{[]sqlast.Source{{Step: tree, Alias: alias}}}
}

// Add adds a table, and has write put the conditions of its scope into the query: who adds a table can't leave them out.
func (s *Sources) Add(e Entry, alias string, write func([]Condition) error) error {
	if e.table == nil {
		return &fail.Error{Kind: fail.Internal, Err: errors.New("exosql: a table without a scope")}
	}
	s.list = append(s.list, sqlast.Source{Table: e.table.Name, In: e.table.Schema, Alias: alias})
	return write(e.must)
}

// Adopt adds the sources of a FROM that stands on its own.
func (s *Sources) Adopt(o Sources) { s.list = append(s.list, o.list...) }

// Len is how many there are.
func (s Sources) Len() int { return len(s.list) }

// First is the alias of the first, or "".
func (s Sources) First() string {
	if len(s.list) == 0 {
		return ""
	}
	return s.list[0].Alias
}

// Left reports whether source i is joined so that it may be missing.
func (s Sources) Left(i int) bool { return s.list[i].Left }

// On is the condition that joins source i.
func (s Sources) On(i int) []sqlast.Expr { return s.list[i].On }

// Join adds to the condition by which source i is joined. With left, rows that have no match stay.
func (s *Sources) Join(i int, left bool, on ...sqlast.Expr) {
	x := &s.list[i]
	x.Left, x.On = x.Left || left, append(x.On[:len(x.On):len(x.On)], on...)
}

// Of makes sel a query of the sources.
func (s Sources) Of(sel *sqlast.Select) *sqlast.Select {
	sel.From = s.list
	return sel
}

// Changing has w change the rows that sel finds among the sources.
func (s Sources) Changing(w *sqlast.Write, sel *sqlast.Select) { w.From = s.Of(sel) }

// Write begins a write of the entry's table.
func (e Entry) Write(kind sqlast.WriteKind) (*sqlast.Write, error) {
	if t := e.table; t == nil {
		return nil, &fail.Error{Kind: fail.Internal, Err: errors.New("exosql: a write of a table without a scope")}
	}
	return &sqlast.Write{Kind: kind, Table: e.table.Name, In: e.table.Schema}, nil
}
