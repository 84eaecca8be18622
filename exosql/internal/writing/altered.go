package writing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file finds what a write alters for law.go: columns and rows of its table, rows of other tables that the database changes along with
// them, and the triggers that act.

// columns are names of columns of one table.
type columns struct {
	Live  *schema.Database
	names []string
}

func (c columns) has(name string) bool { return shares(c.Live, c.names, []string{name}) }

// beside reports whether an index or a check reads a secret column of c together with another column that the write changes. The error of
// that index or check could then reveal the secret value. A rule over one column sees only the new value, so it reveals no value that was
// there.
func (c columns) beside(changed columns, reads func(col func(string) bool) bool) bool {
	return slices.ContainsFunc(c.names, func(secret string) bool {
		is := columns{c.Live, []string{secret}}.has
		return reads(is) && reads(func(name string) bool { return changed.has(name) && !is(name) })
	})
}

// altered is a table with rows that a write changes. The write names them, or a foreign key's ON DELETE or ON UPDATE changes them along with others.
type altered struct {
	table          *schema.Table
	cols           []string // cols are the columns that are changed
	insert, delete bool
	moves          bool // moves: rows may move to another partition (see moving)
	heir           bool // heir: the write names only a table that inherits from this one (INHERITS), or this one's parent, so this one's triggers do not act
}

// deletes reports whether rows of the table are deleted. A row that moves to another partition is deleted from the first one.
func (a altered) deletes() bool { return a.delete || a.moves }

// moving returns a copy of a, in which moves is set if the change may move rows to another partition. The database then deletes them from one and
// inserts them into the other, and the triggers of both act. A BEFORE trigger may change the partition key, whatever columns the statement changes.
func (c *rules) moving(a altered) altered {
	parts, changed := c.Parts(a.table), columns{c.Live, a.cols}
	a.moves = len(parts) > 1 && len(a.cols) > 0 && slices.ContainsFunc(parts, func(x *schema.Table) bool {
		return x.PartitionBy != "" && c.reads(x, []schema.Part{{Expr: x.PartitionBy}}, changed.has) ||
			slices.ContainsFunc(x.Triggers, func(tr schema.Trigger) bool { return tr.Timing != "AFTER" })
	})
	return a
}

// alters returns how a write changes rows of t, and rows of kin, the tables that have rows in common with t.
func (w Write) alters(t *schema.Table, kin, parts []*schema.Table) (all []altered) {
	updated := decl.Names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, decl.Names(w.Filled)...)
	}
	deletes := w.Rights.Delete || slices.Contains(t.OnConflict, "REPLACE") // ON CONFLICT REPLACE deletes another row that has the value already
	for _, x := range kin {
		all = append(all, altered{table: x, cols: updated, insert: len(w.Rights.Insert) > 0, delete: deletes, heir: !slices.Contains(parts, x)})
	}
	return all
}

// allCarried adds each table with rows that foreign keys delete or change because rows of a listed table are deleted or changed, at any depth. It also
// adds the tables that have rows in common with these.
func (c *rules) allCarried(all []altered) []altered {
	for i := 0; i < len(all); i++ { // the loop itself appends to all
		all[i] = c.moving(all[i])
		for _, more := range c.carried(all[i]) {
			if !slices.ContainsFunc(all, func(a altered) bool {
				return a.table == more.table && a.delete == more.delete && a.heir == more.heir && slices.Equal(a.cols, more.cols)
			}) {
				all = append(all, more)
			}
		}
	}
	return all
}

// carried returns the tables with rows that the database deletes or changes along with the rows of a, by their foreign keys.
func (c *rules) carried(a altered) (out []altered) {
	for _, child := range c.Live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table != a.table.Name {
				continue
			}
			deleted := a.deletes() && fk.OnDelete == schema.Cascade
			changed := a.deletes() && !deleted && carries(fk.OnDelete) || c.anyOf(a.table, references(fk, a.table), columns{c.Live, a.cols}.has) && carries(fk.OnUpdate)
			if !deleted && !changed {
				continue
			}
			parts := c.Parts(child)
			for _, x := range c.Kin(child) {
				heir := a.heir || !slices.Contains(parts, x)
				if deleted {
					out = append(out, altered{table: x, delete: true, heir: heir})
				}
				if changed {
					out = append(out, altered{table: x, cols: fk.Columns, heir: heir})
				}
			}
		}
	}
	return out
}

// change is an altered table with its secrets: labelled columns that the write could reveal. There are none if nothing is labelled, or if Go code
// writes.
type change struct {
	altered
	secrets, changed columns
	indexed          bool // indexed: an index decides by a labelled column in which order rows are changed
}

func (r refusing) change(a altered) change {
	x := change{altered: a, secrets: columns{Live: r.c.Live}, changed: columns{r.c.Live, a.cols}}
	if !r.labelled() {
		return x
	}
	x.secrets = r.c.secretOf(a.table, r.w)
	x.indexed = slices.ContainsFunc(r.c.Kin(a.table), func(o *schema.Table) bool { // an index of any table with common rows may decide the order
		return slices.ContainsFunc(r.c.dependantsOn(o), func(d dependant) bool {
			return (d.kind == orders || d.kind == unites) && d.reads(x.secrets.has)
		})
	})
	return x
}

// references returns the columns that a foreign key refers to. SQLite names none if they are the primary key.
func references(fk schema.ForeignKey, to *schema.Table) []string {
	if len(fk.References) == 0 && to.PrimaryKey != nil {
		return to.PrimaryKey.Columns
	}
	return fk.References
}

// anyOf reports whether of is true for one of the columns cols, or for a column that one of them is calculated from.
func (c *rules) anyOf(t *schema.Table, cols []string, of func(string) bool) bool {
	return c.reads(t, keyParts(&schema.Key{Columns: cols}), of)
}

// dependsOn reports whether a part of an index depends, or may depend, on a column for which col is true.
func (c *rules) dependsOn(t *schema.Table, p schema.Part, col func(string) bool) bool {
	if p.Column == "" {
		return t.Reads(p.Expr, col)
	}
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return c.Live.Engine.Is(x.Name, p.Column) })
	return col(p.Column) || i >= 0 && t.Calculates(&t.Columns[i], col)
}

// reads reports whether a part of an index depends on a column for which col is true.
func (c *rules) reads(t *schema.Table, parts []schema.Part, col func(string) bool) bool {
	return slices.ContainsFunc(parts, func(p schema.Part) bool { return c.dependsOn(t, p, col) })
}

func carries(a schema.Action) bool {
	return a == schema.Cascade || a == schema.SetNull || a == schema.SetDefault
}

// named returns the permission that lets a trigger or a rule act. For a trigger of another table it includes that table's name: a trigger
// of the same name on another table is not permitted.
func (r refusing) named(x altered, d dependant) decl.Permission {
	p := decl.Permission{Kind: decl.PermitTrigger, On: d.name}
	if d.kind == rewrites {
		p.Kind = decl.PermitRule
	}
	if r.through(x) != "" && r.c.Live.Engine == schema.Postgres { // in SQLite trigger names are unique
		p.On = r.c.Called(x.table) + "." + d.name
	}
	return p
}

// through returns " through cascades" for messages about a table that the write does not name, else "".
func (r refusing) through(x altered) string {
	if slices.Contains(r.parts, x.table) {
		return ""
	}
	return " through cascades"
}

// when describes, for messages, the writes at which a trigger acts.
func when(tr schema.Trigger) string {
	if len(tr.Events) == 0 {
		return "its definition can't be read, so it may act on each write"
	}
	return tr.Timing + " " + strings.Join(tr.Events, " or ")
}

// fires reports whether a trigger acts when a is altered. A trigger with unknown events counts as one that acts.
func (c *rules) fires(tr schema.Trigger, a altered) bool {
	return len(tr.Events) == 0 || slices.ContainsFunc(tr.Events, func(event string) bool {
		switch event {
		case "INSERT":
			return a.insert || a.moves
		case "DELETE":
			return a.deletes()
		case "UPDATE":
			return len(a.cols) > 0 && (tr.Columns == nil || c.anyOf(a.table, tr.Columns, columns{c.Live, a.cols}.has))
		}
		return false // no write of this package truncates a table
	})
}

func (c *rules) dropTrigger(name string, t *schema.Table) string {
	if c.Live.Engine == schema.SQLite {
		return "DROP TRIGGER " + sqlname.Plain(name)
	}
	return fmt.Sprintf("DROP TRIGGER %s ON %s", sqlname.Plain(name), check.InFull(t))
}

// DemandsTrust describes a part of a write that a program may not change after it has read outsiders' words, or returns "". The parts are: rows with
// a trusted column that are deleted, trusted columns that cascades change or that are calculated from changed columns, and triggers and rules
// without permission for such programs. The declaration itself judges the columns that a program gives and the deletion of the table's own rows: see
// decl.Facet's record and writeMethods.
func DemandsTrust(live *schema.Database, t *decl.Table, kind Kind, given []string, trusted []*decl.Column, permits []decl.Permission) string {
	at := live.Table(schema.Name{Name: t.Name})
	if at == nil || len(trusted) == 0 {
		return "" // Writable refuses to write what is no table
	}
	c := rulesOf(live)
	r, own := refusing{c: c, parts: c.Parts(at)}, c.Kin(at)
	var all []altered
	for _, x := range own {
		a := altered{table: x, insert: kind == Inserts, heir: !slices.Contains(r.parts, x), delete: kind == Deletes || slices.Contains(at.OnConflict, "REPLACE")} // ON CONFLICT REPLACE deletes another row that has the value already
		if kind == Updates {
			a.cols = given
		}
		all = append(all, a)
	}
	for i, a := range c.allCarried(all) {
		for _, d := range c.dependantsOn(a.table) {
			if (d.kind == fires || d.kind == rewrites) && !a.heir && c.fires(d.trigger, a) {
				if p := r.named(a, d).Wary(); !decl.Permits(permits, p) {
					return "what may act by `" + p.String() + "`"
				}
			}
		}
		of := columns{c.Live, a.cols}
		if i < len(own) {
			of.names = given
		}
		for _, col := range c.secretOf(a.table, Write{Table: t, Labelled: trusted}).names {
			if a.delete {
				return a.table.Name.Name
			}
			if (i >= len(own) || !of.has(col)) && c.anyOf(a.table, []string{col}, of.has) {
				return a.table.Name.Name + "." + col
			}
		}
	}
	return ""
}

// Given returns the columns that a write gives, including those that a link or the scope fills in.
func (w *Writing) Given() (cols []string) {
	if w.Change != nil {
		cols = w.Change.Write.Update
	}
	for _, x := range w.Inserts {
		cols = slices.Concat(cols, x.One.Write.Given)
	}
	return cols
}
