package writing

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// This file has Write, the description of a write, and refusing, which collects reasons to refuse it. A permission of the host can remove a reason.

// Write describes what a grant lets programs change in one table.
type Write struct {
	Table  *decl.Table
	Facet  *decl.Facet // Facet is what programs write through; nil for Go code
	Rights decl.Rights
	// Scope has the columns in the scope's conditions. If Decided is set, only these decide whether a row is in scope: of rows with
	// equal values in them, all are in scope or none is.
	Scope   []*decl.Column
	Decided bool
	Fixed   []*decl.Column  // Fixed are the columns of Scope that the scope fills in
	Links   []*decl.Link    // Links start at the table. Before their key is written, a check looks for the row at their end in scope
	Into    []*decl.Link    // Into are links to the table. Before their key is written, a check looks for the row at their start in scope
	By      []*decl.Link    // By are links to the table through which the scope finds its rows
	Reveals []decl.Revealed // Reveals is labelled data that a row reveals by being in scope
	Through []*decl.Link    // Through are the links that insert rows into the table, and fill in its columns
	Leading []*decl.Link    // Leading are links from the table that bring the rows at their end into scope
	Filled  []*decl.Column  // Filled are columns that the host's hooks fill, perhaps with values from the program
	Told    []*decl.Column  // Told are columns that decide which other rows are in scope, in this grant or another of the same programs
	Beside  []*decl.Table   // Beside are other tables to which grants of the same programs give a scope
	// Labelled are the labelled columns of the same programs' tables. Programs may not learn their values by writing.
	Labelled []*decl.Column
	// LabelledRows are the tables with labelled rows. Programs may not learn by writing which of these rows exist.
	LabelledRows []*decl.Table
	Inserts      bool // Inserts: programs reach the facet in a way that allows them to insert rows
	Trusted      bool // Trusted: Go code writes, and may learn which values other tenants have
}

// rules applies the law to the tables of a catalogue.
type rules struct {
	*check.Checker
	asked []decl.Permission // asked has the permissions that rules asked for, given or not
}

func rulesOf(live *schema.Database) *rules {
	c := &rules{Checker: check.NewChecker()}
	c.Live = live
	return c
}

// refusing adds the reasons why w may not write table t.
type refusing struct {
	c *rules
	w Write
	t *schema.Table // t is the written table

	parts, kin []*schema.Table // parts has t, the tables that t is a part of, and the parts of t; kin has all tables with rows in common with t
}

func (r refusing) because(kind, fix, problem string, args ...any) {
	r.add(check.Finding{Kind: kind, Fix: fix}, problem, args...)
}

// unless adds a reason to refuse, unless the host has given permission p. fix is a way without the permission; "" if there is none. when is
// the condition under which the host may give the permission.
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

// permit returns what the host writes to give permission p.
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

// calculates reports whether a generated column depends on columns that may be written. In a new row these are all columns that the scope does
// not fill in. If the scope admits several values, the program chooses one, so that column counts as written.
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

// shares reports whether two lists of columns have a column in common.
func shares(live *schema.Database, a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return live.Engine.Is(x, y) })
	})
}

// along reports whether a link with these pairs, which leads to the table `to`, compares the same columns as a foreign key.
func along(live *schema.Database, pairs []decl.Pair, to *decl.Table, fk schema.ForeignKey) bool {
	is := live.Engine.Is
	for _, p := range pairs {
		i := slices.IndexFunc(fk.Columns, func(col string) bool { return is(col, p.From.Name) })
		if i < 0 || i < len(fk.References) && !is(fk.References[i], p.To.Name) {
			return false
		}
	}
	t := live.Table(schema.Name{Name: to.Name}) // a table of the same name in another schema is another table
	return t != nil && is(t.Name.Name, fk.Table.Name) && is(t.Name.Schema, fk.Table.Schema) && len(pairs) == len(fk.Columns)
}
