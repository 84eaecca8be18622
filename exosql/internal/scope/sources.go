package scope

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Sources is the FROM of a query: tables that entered with their scopes, and derived tables
// made from other Sources.
type Sources struct{ list []sqlast.Source }

// Derived returns a FROM with one derived table.
func Derived(sub *sqlast.Select, alias string) Sources {
	return Sources{[]sqlast.Source{{Sub: sub, Alias: alias}}}
}

// Combined returns a FROM with one derived table: the rows of two queries, combined by the operator set.
func Combined(a *sqlast.Select, set sqlast.Set, b *sqlast.Select, alias string) Sources {
	return Sources{[]sqlast.Source{{Sub: a, Set: set, With: b, Alias: alias}}}
}

// Tree returns a FROM with one derived table: first rows, and all rows that are reached from them in any number of steps.
func Tree(r *sqlast.Recursion, alias string) Sources {
	return Sources{[]sqlast.Source{{Recursion: r, Alias: alias}}}
}

// Step returns a FROM with the rows of the previous step, for the second SELECT of the recursion with this alias.
func Step(tree, alias string) Sources {
	return Sources{[]sqlast.Source{{Step: tree, Alias: alias}}}
}

// Add adds a table, and calls write with the conditions of its scope. Its only caller is compile.from.enter, where satisfy writes them.
func (s *Sources) Add(e Entry, alias string, write func([]Condition) error) error {
	if e.table == nil {
		return &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: the statement would read a table without a scope, so it did not run: this is a fault of exosql, please report it")}
	}
	s.list = append(s.list, sqlast.Source{Table: e.table.Name, In: e.table.Schema, Alias: alias})
	return write(e.must)
}

// Adopt adds the sources of another, complete FROM.
func (s *Sources) Adopt(o Sources) { s.list = append(s.list, o.list...) }

// Len returns the number of sources.
func (s Sources) Len() int { return len(s.list) }

// First returns the alias of the first source, or "" if there is none.
func (s Sources) First() string {
	if len(s.list) == 0 {
		return ""
	}
	return s.list[0].Alias
}

// Left reports whether source i is left-joined, so that its row may be missing.
func (s Sources) Left(i int) bool { return s.list[i].Left }

// On returns the conditions that join source i.
func (s Sources) On(i int) []sqlast.Expr { return s.list[i].On }

// Join adds conditions to the join of source i. If left is set, the join keeps rows without a match.
func (s *Sources) Join(i int, left bool, on ...sqlast.Expr) {
	x := &s.list[i]
	x.Left, x.On = x.Left || left, append(x.On[:len(x.On):len(x.On)], on...)
}

// Of makes sel select from the sources.
func (s Sources) Of(sel *sqlast.Select) *sqlast.Select {
	sel.From = s.list
	return sel
}

// Changing makes w change the rows that sel finds in the sources.
func (s Sources) Changing(w *sqlast.Write, sel *sqlast.Select) { w.From = s.Of(sel) }

// Write begins a write to the entry's table.
func (e Entry) Write(kind sqlast.WriteKind) (*sqlast.Write, error) {
	if t := e.table; t == nil {
		return nil, &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: the statement would write a table without a scope, so it did not run: this is a fault of exosql, please report it")}
	}
	return &sqlast.Write{Kind: kind, Table: e.table.Name, In: e.table.Schema}, nil
}
