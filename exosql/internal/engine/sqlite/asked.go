package sqlite

// This file finds the functions, tables and columns for which the schema itself asks the authorizer. SQLite asks for functions in the defaults
// and stored columns of every table that a statement touches. It asks for everything that a view reads. The
// statement's text has none of this. The host chose the schema, so a plan allows what its own tables and
// views ask for (see guard.decide). SQLite itself finds that out, and not a parser of ours.

import (
	"fmt"
	"maps"
	"slices"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// question is one call of the authorizer. within is the view or trigger that contains the asking text, or "" for the statement's own text.
type question struct {
	action             sqlite.AuthorizerActionCode
	arg1, arg2, within string
}

// Learn finds the questions of the tables and views of a plan, and reports whether one is new. It is
// called when the authorizer has refused a statement, since a schema may change while it is used. It
// runs nothing: it compiles a probe that selects all columns of one table, and drops the probe.
func (s *Session) Learn(p *plan.Plan) (bool, error) {
	g := s.Guard
	grew := false
	g.denied = false
	for _, name := range g.named(p.Reads) {
		asked := map[question]bool{}
		g.learning = asked
		st, err := s.C.prepare("SELECT * FROM " + sqlname.Quote(name))
		g.learning = nil
		if err != nil {
			return false, fmt.Errorf("exosql: %s can't be read: %w", name, err)
		}
		s.C.finalize(st)
		if !maps.Equal(g.asked[name], asked) {
			if g.asked == nil {
				g.asked = map[string]map[question]bool{}
			}
			g.asked[name], grew = asked, true
		}
	}
	return grew, nil
}

// record keeps a question of a probe, unless it is about a column that the probe itself names.
func (g *guard) record(q question) {
	if q.within != "" || q.action == sqlite.AuthFunction {
		g.learning[q] = true
	}
	// If a statement uses no column from some table of a view, SQLite asks only for that table's rows, and does not name the view.
	if q.within != "" && q.action == sqlite.AuthRead {
		g.learning[question{q.action, q.arg1, "", ""}] = true
		g.learning[question{q.action, q.arg1, "", q.within}] = true
	}
}

// asks reports whether a table or view that the plan names asks for q.
func (g *guard) asks(q question) bool {
	return g.asked != nil && slices.ContainsFunc(g.named(*g.reads.Load()), func(name string) bool { return g.asked[name][q] })
}

// named returns the tables and views of a plan, with the tables that its write touches.
func (g *guard) named(reads map[string]map[string]bool) []string {
	names := append(slices.Collect(maps.Keys(reads)), g.touched()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// written returns the tables that the running plan changes, in lower case: its own, and those that
// permitted cascades change.
func (g *guard) written() []string {
	w := g.writes.Load()
	if w == nil {
		return nil
	}
	out := []string{sqlast.Fold(w.Table)}
	for _, c := range w.Cascades {
		if table := sqlast.Fold(c.Table); g.keys[table] != nil {
			out = append(out, table)
		}
	}
	return out
}

// touched returns the tables that SQLite compiles into a write: the changed ones, and those at the
// other end of their foreign keys.
func (g *guard) touched() []string {
	var out []string
	for _, name := range g.written() {
		out = append(out, name)
		for other := range g.keys[name] {
			out = append(out, other)
		}
	}
	return out
}

// follows reports whether SQLite reads this column because of a foreign key of a table that the plan changes.
func (g *guard) follows(table, column string) bool {
	return slices.ContainsFunc(g.written(), func(name string) bool { return g.keys[name][sqlast.Fold(table)][sqlast.Fold(column)] })
}
