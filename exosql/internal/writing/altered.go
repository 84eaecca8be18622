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

// This file finds what a write alters: the columns and rows of its table, all that the database carries along, and which triggers act. law.go
// asks it.

// columns are names of columns of one table.
type columns struct {
	Live  *schema.Database
	names []string
}

func (c columns) has(name string) bool { return shares(c.Live, c.names, []string{name}) }

// beside reports whether something (an index, a check) reads a column of c together with another column that is changed. A rule over one
// column alone looks at the new value only, and so reveals nothing that was there.
func (c columns) beside(changed columns, reads func(col func(string) bool) bool) bool {
	return slices.ContainsFunc(c.names, func(secret string) bool {
		is := columns{c.Live, []string{secret}}.has
		return reads(is) && reads(func(name string) bool { return changed.has(name) && !is(name) })
	})
}

// altered is a table of which rows are written, or carried along with those that are: by ON DELETE and ON UPDATE of foreign keys.
type altered struct {
	table  *schema.Table
	cols   []string // that are changed
	insert bool
	delete bool
	moves  bool // rows of it may go to another partition: see moving
	heir   bool // only an heir of it by INHERITS is written, or the table that it inherits from: its own triggers do not act
}

// deletes reports whether the database acts as it does for rows that are deleted.
func (a altered) deletes() bool { return a.delete || a.moves }

// moving returns a with moves set: whether the change may bring rows to another partition. They are then deleted from one and inserted into
// the other, with all that this sets off. A trigger before the change may give them another partition key, whatever the statement changes.
func (c *rules) moving(a altered) altered {
	parts, changed := c.Parts(a.table), columns{c.Live, a.cols}
	a.moves = len(parts) > 1 && len(a.cols) > 0 && slices.ContainsFunc(parts, func(x *schema.Table) bool {
		return x.PartitionBy != "" && c.reads(x, []schema.Part{{Expr: x.PartitionBy}}, changed.has) ||
			slices.ContainsFunc(x.Triggers, func(tr schema.Trigger) bool { return tr.Timing != "AFTER" })
	})
	return a
}

// alters returns what a write does with the rows of t, and of those tables that have rows in common with it.
func (w Write) alters(t *schema.Table, kin, parts []*schema.Table) (all []altered) {
	updated := decl.Names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, decl.Names(w.Filled)...)
	}
	deletes := w.Rights.Delete || slices.Contains(t.OnConflict, "REPLACE") // which deletes the row that has the value
	for _, x := range kin {
		all = append(all, altered{table: x, cols: updated, insert: len(w.Rights.Insert) > 0, delete: deletes, heir: !slices.Contains(parts, x)})
	}
	return all
}

// allCarried returns what is altered, and all tables whose rows go or change with it, at any depth, with those that have rows in common.
func (c *rules) allCarried(all []altered) []altered {
	for i := 0; i < len(all); i++ { // it grows
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

// carried are the tables whose rows the database deletes or changes with those of another.
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

// change is what is altered, with the columns about which it may reveal something: none where nothing is labelled, or where Go code writes.
type change struct {
	altered
	secrets, changed columns
	indexed          bool // an index decides by a labelled column in which order rows are changed
}

func (r refusing) change(a altered) change {
	x := change{altered: a, secrets: columns{Live: r.c.Live}, changed: columns{r.c.Live, a.cols}}
	if !r.labelled() {
		return x
	}
	x.secrets = r.c.secretOf(a.table, r.w)
	x.indexed = slices.ContainsFunc(r.c.Kin(a.table), func(o *schema.Table) bool { // what one index has of a row, the indexes of its other parts may decide
		return slices.ContainsFunc(r.c.dependantsOn(o), func(d dependant) bool {
			return (d.kind == orders || d.kind == unites) && d.reads(x.secrets.has)
		})
	})
	return x
}

// references are the columns of a table that a foreign key to it refers to: SQLite names none where it is the primary key.
func references(fk schema.ForeignKey, to *schema.Table) []string {
	if len(fk.References) == 0 && to.PrimaryKey != nil {
		return to.PrimaryKey.Columns
	}
	return fk.References
}

// anyOf reports whether one of a table's columns is, or is calculated of, one of some others.
func (c *rules) anyOf(t *schema.Table, cols []string, of func(string) bool) bool {
	return c.reads(t, keyParts(&schema.Key{Columns: cols}), of)
}

// dependsOn reports whether a part of an index is, or may depend on, one of some columns.
func (c *rules) dependsOn(t *schema.Table, p schema.Part, col func(string) bool) bool {
	if p.Column == "" {
		return t.Reads(p.Expr, col)
	}
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return c.Live.Engine.Is(x.Name, p.Column) })
	return col(p.Column) || i >= 0 && t.Calculates(&t.Columns[i], col)
}

// reads reports whether a part of an index depends on one of some columns.
func (c *rules) reads(t *schema.Table, parts []schema.Part, col func(string) bool) bool {
	return slices.ContainsFunc(parts, func(p schema.Part) bool { return c.dependsOn(t, p, col) })
}

func carries(a schema.Action) bool {
	return a == schema.Cascade || a == schema.SetNull || a == schema.SetDefault
}

// named is the permission for a trigger or a rule to act. The name of another table is part of it: a host that permits a trigger of the one
// table does not know that of the other.
func (r refusing) named(x altered, d dependant) decl.Permission {
	p := decl.Permission{Kind: decl.PermitTrigger, On: d.name}
	if d.kind == rewrites {
		p.Kind = decl.PermitRule
	}
	if r.through(x) != "" && r.c.Live.Engine == schema.Postgres { // SQLite has one of a name
		p.On = r.c.Called(x.table) + "." + d.name
	}
	return p
}

// through says that the database carries a change on to another table.
func (r refusing) through(x altered) string {
	if slices.Contains(r.parts, x.table) {
		return ""
	}
	return " through cascades"
}

// when names the writes at which a trigger acts.
func when(tr schema.Trigger) string {
	if len(tr.Events) == 0 {
		return "its definition can't be read, so it may act on each write"
	}
	return tr.Timing + " " + strings.Join(tr.Events, " or ")
}

// fires reports whether a trigger acts on what is altered. One of which the event is not known does.
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
		return false // no write of ours truncates a table
	})
}

func (c *rules) dropTrigger(name string, t *schema.Table) string {
	if c.Live.Engine == schema.SQLite {
		return "DROP TRIGGER " + sqlname.Plain(name)
	}
	return fmt.Sprintf("DROP TRIGGER %s ON %s", sqlname.Plain(name), check.InFull(t))
}

// DemandsTrust names what, as table or table.column, a write changes that is refused to a program that has read what outsiders wrote, "" if
// there is none: the write deletes rows that hold one of the trusted columns, changes such a column of other rows that the database carries along,
// gives what it calculates one of, or sets off what may change any of them, without a permission for such programs. What a program gives
// to a trusted column itself, and a deletion of a row that has one, is judged by the declaration before: see decl.Facet's record and writeMethods.
func DemandsTrust(live *schema.Database, t *decl.Table, kind Kind, given []string, trusted []*decl.Column, permits []decl.Permission) string {
	at := live.Table(schema.Name{Name: t.Name})
	if at == nil || len(trusted) == 0 {
		return "" // of what is no table, Writable says more
	}
	c := rulesOf(live)
	r, own := refusing{c: c, parts: c.Parts(at)}, c.Kin(at)
	var all []altered
	for _, x := range own {
		a := altered{table: x, insert: kind == Inserts, heir: !slices.Contains(r.parts, x), delete: kind == Deletes || slices.Contains(at.OnConflict, "REPLACE")} // which deletes the row that has the value
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

// Given are the columns of the table that a write gives, with those that a link or the scope fills in.
func (w *Writing) Given() (cols []string) {
	if w.Change != nil {
		cols = w.Change.Write.Update
	}
	for _, x := range w.Inserts {
		cols = slices.Concat(cols, x.One.Write.Given)
	}
	return cols
}
