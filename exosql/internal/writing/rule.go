package writing

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// This file has what is written, how a rule refuses it, and which permission lifts that. law.go comes before it, and rules.go after it.

// Write is what a grant lets programs change in one table.
type Write struct {
	Table  *decl.Table
	Facet  *decl.Facet // by which programs write; nil of Go code
	Rights decl.Rights
	// Scope are the columns by which it is decided whether a row is in scope: rows that are equal in them are all
	// in scope or all not. Decided says that these columns decide it.
	Scope   []*decl.Column
	Decided bool
	Fixed   []*decl.Column  // of Scope: what is filled in
	Links   []*decl.Link    // from the table: whose far end is looked for in scope before a key that points to it is written
	Into    []*decl.Link    // to the table: the same of whose near end
	By      []*decl.Link    // to the table: those by which the scope finds its rows
	Reveals []decl.Revealed // by being in scope, of what is labelled
	Through []*decl.Link    // to the table: by which rows are inserted, so that they fill in its columns
	Leading []*decl.Link    // from the table: rows at whose far end are in scope by it
	Filled  []*decl.Column  // that hooks of the host fill, maybe by what the program gives
	Told    []*decl.Column  // the columns that decide what else is in scope, in this grant or another of the same programs
	Beside  []*decl.Table   // other tables to which grants of the same programs give a scope
	// Labelled are the columns of the tables of the same programs whose values they may not read.
	Labelled []*decl.Column
	// LabelledRows are those of these tables of which they may not know which rows are there.
	LabelledRows []*decl.Table
	Inserts      bool // programs get to the facet so that they insert rows
	Trusted      bool // it is Go code that writes: it may learn that others have a value
}

// rules are the rules of writes, over a catalogue.
type rules struct {
	*check.Checker
	asked []decl.Permission // that a rule has asked for, given or not
}

func rulesOf(live *schema.Database) *rules {
	c := &rules{Checker: check.NewChecker()}
	c.Live = live
	return c
}

// refusing adds the reasons for which a table is not written by w.
type refusing struct {
	c *rules
	w Write
	t *schema.Table // that is written

	parts, kin []*schema.Table // of which it is a part, and its parts; and all that have rows in common with it
}

func (r refusing) because(kind, fix, problem string, args ...any) {
	r.add(check.Finding{Kind: kind, Fix: fix}, problem, args...)
}

// unless adds a reason that does not hold where the host has given a permission. fix is the other way, if there is one, and when says when
// it may be given.
func (r refusing) unless(p decl.Permission, kind, fix, when, problem string, args ...any) {
	r.c.asked = append(r.c.asked, p, p.Wary())
	if decl.Permits(r.w.Rights.Permits, p) {
		return
	}
	if fix != "" {
		fix += ", or "
	}
	r.add(check.Finding{Kind: kind, Fix: fix + r.w.permit(p) + when, Effect: schema.Printable(p.String())}, problem, args...)
}

func (r refusing) add(f check.Finding, problem string, args ...any) {
	f.Table, f.Problem = r.w.Table.Name, fmt.Sprintf(problem, args...)
	if r.w.Facet != nil {
		f.Facet = r.w.Facet.Alias
	}
	r.c.Add(f)
}

// permit is what the host writes to permit something.
func (w Write) permit(p decl.Permission) string {
	switch r := w.Table.Reader; {
	case w.Trusted:
		return r.PermitOfTable(p.Go())
	case w.Facet == nil:
		return r.PermitOfAny(p.Go())
	default:
		return r.Permit(p.Go(), p.String(), w.Facet.Alias)
	}
}

// calculates reports whether a generated column depends on columns that may be written. In a new row these are all columns, but for those
// that the scope fills in. Where the scope admits several values the program chooses one, so such a column counts as written.
func (w Write) calculates(live *schema.Database, t *schema.Table, col *schema.Column) bool {
	is := func(names []string, name string) bool { return shares(live, names, []string{name}) }
	return t.Calculates(col, func(name string) bool {
		return is(decl.Names(w.Rights.Update), name) || len(w.Rights.Update) > 0 && is(decl.Names(w.Filled), name) || len(w.Rights.Insert) > 0 && !is(decl.Names(w.Fixed), name)
	})
}

func reversed(pairs []decl.Pair) (out []decl.Pair) {
	for _, p := range pairs {
		out = append(out, decl.Pair{From: p.To, To: p.From})
	}
	return out
}

// shares reports whether two lists of columns have one in common.
func shares(live *schema.Database, a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return live.Engine.Is(x, y) })
	})
}

// along reports whether pairs of columns, to another table, are those of a foreign key.
func along(live *schema.Database, pairs []decl.Pair, to *decl.Table, fk schema.ForeignKey) bool {
	is := live.Engine.Is
	for _, p := range pairs {
		i := slices.IndexFunc(fk.Columns, func(col string) bool { return is(col, p.From.Name) })
		if i < 0 || i < len(fk.References) && !is(fk.References[i], p.To.Name) {
			return false
		}
	}
	t := live.Table(schema.Name{Name: to.Name}) // not one of the same name in another schema
	return t != nil && is(t.Name.Name, fk.Table.Name) && is(t.Name.Schema, fk.Table.Schema) && len(pairs) == len(fk.Columns)
}
