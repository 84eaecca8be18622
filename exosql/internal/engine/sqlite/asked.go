package sqlite

// This file finds what the schema itself asks for. SQLite asks the authorizer about the functions in the
// defaults and stored columns of every table that a statement touches, and about all that a view reads,
// although none of it is in the statement's text. The host has chosen the schema, so a plan admits what its
// own tables and views ask for: see guard.decide. SQLite is asked for it, rather than a parser of ours.

import (
	"fmt"
	"maps"
	"slices"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// question is one call of the authorizer. within is the view or trigger whose text asks; "": a statement's own.
type question struct {
	action             sqlite.AuthorizerActionCode
	arg1, arg2, within string
}

// Learn finds out what the tables and views of a plan ask for, and reports whether something is new.
// It is called when the wall has refused a statement, since a schema may change while it is used. Nothing is
// run: a probe that selects all columns of one table is compiled and dropped.
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

// record keeps what a probe asks for besides the columns that it names itself.
func (g *guard) record(q question) {
	if q.within != "" || q.action == sqlite.AuthFunction {
		g.learning[q] = true
	}
	// Where a statement uses no column that comes from a table of the view, SQLite asks for that table's rows, and names the view no more.
	if q.within != "" && q.action == sqlite.AuthRead {
		g.learning[question{q.action, q.arg1, "", ""}] = true
		g.learning[question{q.action, q.arg1, "", q.within}] = true
	}
}

// asks reports whether a table or view that the plan names asks for this.
func (g *guard) asks(q question) bool {
	return g.asked != nil && slices.ContainsFunc(g.named(*g.reads.Load()), func(name string) bool { return g.asked[name][q] })
}

// named are the tables and views of a plan, and those that its write touches.
func (g *guard) named(reads map[string]map[string]bool) []string {
	names := append(slices.Collect(maps.Keys(reads)), g.touched()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// written are the tables that the running plan changes, lower case: its own, and those to which cascades that the
// host has named carry the change.
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

// touched are the tables that SQLite compiles into a write: those that it changes, and those at
// the other end of their foreign keys.
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

// follows reports whether a foreign key of a table that the plan changes has SQLite read this column.
func (g *guard) follows(table, column string) bool {
	return slices.ContainsFunc(g.written(), func(name string) bool { return g.keys[name][sqlast.Fold(table)][sqlast.Fold(column)] })
}
