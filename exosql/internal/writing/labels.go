package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// A write that a rule of the database refuses tells a program of the rows that were there. Where such a rule is about a
// labelled column, a program that writes learns of values that it may not read, and its run has no label for it: giving a
// value is not reading one. So a table with such a rule can't be written, unless its host says by AllowRevealing
// that programs may learn it.

// told is a rule by which a write tells of a labelled column.
type told struct{ rule, why string }

func (x told) permission() decl.Permission {
	return decl.Permission{Kind: decl.PermitRevealing, On: x.rule}
}

// columns are names of columns of one table.
type columns struct {
	Live  *schema.Database
	names []string
}

func (c columns) has(name string) bool { return shares(c.Live, c.names, []string{name}) }

// beside reports whether what reads columns reads one of c, and another one that is changed. What reads one column alone looks at
// the new value when it is changed, and at nothing that was there.
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
}

// deletes reports whether the database acts as it does for rows that are deleted.
func (a altered) deletes() bool { return a.delete || a.moves }

// moving is a, with whether the change may bring rows to another partition, where they are deleted from the one and inserted into
// the other, with all that this sets off. A trigger before the change may give them another key, whatever is changed.
func (c *rules) moving(a altered) altered {
	parts, changed := c.Parts(a.table), columns{c.Live, a.cols}
	a.moves = len(parts) > 1 && len(a.cols) > 0 && slices.ContainsFunc(parts, func(x *schema.Table) bool {
		return x.PartitionBy != "" && c.reads(x, []schema.Part{{Expr: x.PartitionBy}}, changed.has) ||
			slices.ContainsFunc(x.Triggers, func(tr schema.Trigger) bool { return tr.Timing != "AFTER" })
	})
	return a
}

// tells finds the rules by which a write tells of labelled columns.
func (c *rules) tells(t *schema.Table, w Write) (out []told) {
	own := c.Kin(t)
	for _, a := range c.allCarried(w.alters(t, own), c.Kin) {
		for _, x := range c.tellsOf(a, w) {
			if !slices.Contains(own, a.table) {
				x.rule = c.Called(a.table) + "." + x.rule
			}
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// alters returns what a write does with the rows of t, and of those tables that have rows in common with it.
func (w Write) alters(t *schema.Table, own []*schema.Table) (all []altered) {
	updated := names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, names(w.Filled)...)
	}
	deletes := w.Rights.Delete || slices.Contains(t.OnConflict, "REPLACE") // which deletes the row that has the value
	for _, x := range own {
		all = append(all, altered{table: x, cols: updated, insert: len(w.Rights.Insert) > 0, delete: deletes})
	}
	return all
}

// allCarried returns what is altered, and all tables whose rows go or change with it, at any depth. with returns a table and those that
// have rows in common with it.
func (c *rules) allCarried(all []altered, with func(*schema.Table) []*schema.Table) []altered {
	for i := 0; i < len(all); i++ { // it grows
		all[i] = c.moving(all[i])
		for _, more := range c.carried(all[i], with) {
			if !slices.ContainsFunc(all, func(a altered) bool {
				return a.table == more.table && a.delete == more.delete && slices.Equal(a.cols, more.cols)
			}) {
				all = append(all, more)
			}
		}
	}
	return all
}

// carried are the tables whose rows the database deletes or changes with those of another.
func (c *rules) carried(a altered, with func(*schema.Table) []*schema.Table) (out []altered) {
	for _, child := range c.Live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table != a.table.Name {
				continue
			}
			deleted := a.deletes() && fk.OnDelete == schema.Cascade
			changed := a.deletes() && !deleted && carries(fk.OnDelete) || c.anyOf(a.table, references(fk, a.table), columns{c.Live, a.cols}.has) && carries(fk.OnUpdate)
			for _, x := range with(child) {
				if deleted {
					out = append(out, altered{table: x, delete: true})
				}
				if changed {
					out = append(out, altered{table: x, cols: fk.Columns})
				}
			}
		}
	}
	return out
}

// references are the columns of a table that a foreign key to it refers to: SQLite names none where it is the primary key.
func references(fk schema.ForeignKey, to *schema.Table) []string {
	if len(fk.References) == 0 && to.PrimaryKey != nil {
		return to.PrimaryKey.Columns
	}
	return fk.References
}

// secretOf are the labelled columns of a table, by whatever declaration of its kin they are labelled. Which columns a view shows under
// which names is not known: where one is labelled on a view, all are that nobody has declared without a label.
func (c *rules) secretOf(t *schema.Table, w Write) columns {
	cols := columns{Live: c.Live}
	for _, x := range c.Kin(t) {
		for _, col := range w.Labelled {
			if c.IsOf(col.Table, x) {
				cols.names = append(cols.names, col.Name)
			}
			if c.Live.View(schema.Name{Name: col.Table.Name}) != nil && c.Shows(col.Table, x) {
				for _, y := range x.Columns {
					if of := c.Same(w.Table, y.Name); of == nil || !c.IsOf(w.Table, x) {
						cols.names = append(cols.names, y.Name)
					}
				}
			}
		}
	}
	return cols
}

// goesByClock reports whether a condition may hold for a row now, and not later.
func goesByClock(expr string) bool {
	lower := strings.ToLower(expr)
	return slices.ContainsFunc([]string{"now()", "current_", "localtime", "_timestamp()", "timeofday()", "random"}, func(s string) bool { return strings.Contains(lower, s) })
}

// tellsOf are the rules about rows of one table.
func (c *rules) tellsOf(a altered, w Write) (out []told) {
	t := a.table
	secrets, changed := c.secretOf(t, w), columns{c.Live, a.cols}
	secret, written := secrets.has, changed.has
	indexed := slices.ContainsFunc(c.Kin(t), func(x *schema.Table) bool { // what one index has of a row, those of its kin may decide
		return slices.ContainsFunc(indexesOf(x), func(i index) bool { return c.reads(x, i.Parts, secret) })
	})
	for _, u := range uniquesOf(t) {
		has := func(col func(string) bool) bool {
			return c.reads(t, u.Parts, col) || u.where != "" && t.Reads(u.where, col)
		}
		changes := len(a.cols) > 0 && has(written)
		switch {
		case has(secret) && (changes || a.moves || a.insert && (u.numbered(c.Live, t) || !u.fresh(c.Live, t, w.given()))):
			out = append(out, told{u.name(), "that a value is taken would tell of it"})
		case indexed && changes: // row by row
			out = append(out, told{u.name(), "rows are changed in the order of an index, which a value that is taken would tell"})
		}
	}
	out = append(out, c.made(t, secrets, changed)...)
	for _, k := range t.Checks {
		again := len(a.cols) > 0 && (k.NotValid || goesByClock(k.Expr)) && t.Reads(k.Expr, secret) // rows that are there may break it
		if again || secrets.beside(changed, func(col func(string) bool) bool { return t.Reads(k.Expr, col) }) {
			out = append(out, told{"check(" + k.Expr + ")", "a value that breaks it would tell of the other"})
		}
	}
	rules := []string{t.PartitionBy} // as a check: no partition may have a place for the row
	for _, p := range t.Policies {
		if t.RowSecurity && p.Command != "SELECT" {
			rules = append(rules, p.Using, p.Check)
		}
	}
	for _, r := range rules {
		if r != "" && secrets.beside(changed, func(col func(string) bool) bool { return t.Reads(r, col) }) {
			out = append(out, told{"check(" + r + ")", "a row that breaks it would tell of the other"})
		}
	}
	for _, fk := range t.ForeignKeys {
		if secrets.beside(changed, func(col func(string) bool) bool { return c.anyOf(t, fk.Columns, col) }) {
			out = append(out, told{"foreign key(" + strings.Join(fk.Columns, ", ") + ")", "a value that leads nowhere would tell of the other"})
		}
	}
	for _, child := range c.Live.Tables {
		for _, fk := range child.ForeignKeys {
			changed := c.anyOf(t, references(fk, t), written)
			if fk.Table != t.Name || !a.deletes() && !changed {
				continue
			}
			name := c.Called(child) + "(" + strings.Join(fk.Columns, ", ") + ")"
			rows := c.rowsLabel(child, w)
			switch own := w.Table.Label.Secrecy(); {
			case c.anyOf(child, fk.Columns, c.secretOf(child, w).has) || !rows.FlowsTo(own):
				out = append(out, told{name, "a row that can't be deleted or changed would tell that it is referred to"})
			case !own.FlowsTo(rows) && (a.deletes() && carries(fk.OnDelete) || changed && carries(fk.OnUpdate)):
				out = append(out, told{name, "rows that are carried along would tell whoever may read them of the row, which is labelled"})
			}
		}
	}
	return out
}

// scopedBy refuses the writes of a table whose rows reveal by being in scope what is labelled: which rows a program changes, and whether there
// are any, depends on that, so the change would reveal it to all who read the table without the label. Each such write is refused by
// the labels of the message; this says so before.
func (c *rules) scopedBy(w Write, refuse refusing) {
	for _, x := range w.Reveals {
		if l := x.Label.Secrecy(); !w.Trusted && !l.FlowsTo(w.Table.Label.Secrecy()) {
			refuse.unless(decl.Permission{Kind: decl.PermitRevealing, On: x.Name}, check.HiddenEffect, w.Table.Reader.RowLabel(w.Table.Name), ", if programs may learn that",
				"programs may write to it, and which of its rows are in scope reveals %s, which is labelled %s: what is written would reveal that to those who read the table without the label", x.Name, l)
		}
	}
}

// rowsLabel is the label of the existence of a table's rows, by whatever declaration of its kin, or of a view of it, has one.
func (c *rules) rowsLabel(t *schema.Table, w Write) (l exo.Label) {
	for _, o := range w.LabelledRows {
		if c.Shows(o, t) || slices.ContainsFunc(c.Kin(t), func(x *schema.Table) bool { return c.IsOf(o, x) }) {
			l = l.Join(o.Label.Secrecy())
		}
	}
	return l
}

// made are what is calculated of a row when it is written, an entry of an index or a generated column, of what is written and what is
// labelled: by a division by zero it fails, and in PostgreSQL by the length of both together.
func (c *rules) made(t *schema.Table, secrets, changed columns) (out []told) {
	for _, i := range indexesOf(t) {
		if i.said {
			continue
		}
		x := i.Parts
		entry := func(col func(string) bool) bool { return c.reads(t, x, col) }
		// Of a partial index its condition decides whether an entry is calculated.
		calculated := secrets.beside(changed, entry) && slices.ContainsFunc(x, func(p schema.Part) bool { return p.Column == "" })
		long := slices.ContainsFunc(x, func(p schema.Part) bool { return c.dependsOn(t, p, changed.has) && !fixedSize(t, p) })
		if calculated || long && c.Live.Engine == schema.Postgres && secrets.beside(changed, entry) {
			out = append(out, told{"index" + unique{Parts: x}.said(), "an entry of it that can't be made would tell of it"})
		}
	}
	for i := range t.Columns {
		if g := &t.Columns[i]; secrets.beside(changed, func(col func(string) bool) bool { return t.Calculates(g, col) }) {
			out = append(out, told{"generated(" + g.Name + ")", "a value that can't be calculated would tell of it"})
		}
	}
	return out
}

// fixedSize reports whether all values of a part of an index take the same place.
func fixedSize(t *schema.Table, p schema.Part) bool {
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return x.Name == p.Column })
	return i >= 0 && slices.Contains([]schema.Kind{schema.Bool, schema.Int, schema.Float, schema.Time, schema.Date, schema.Interval, schema.UUID}, t.Columns[i].Kind)
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

// index is what an index has of each row, its condition included. said: tells has all that it could tell, as a unique one
// that carries nothing along.
type index struct {
	Parts []schema.Part
	said  bool
}

// indexesOf are those of a table, of its keys too.
func indexesOf(t *schema.Table) (out []index) {
	add := func(parts []schema.Part, where string, include []string, unique bool) {
		i := index{slices.Clone(parts), unique && len(include) == 0}
		if where != "" {
			i.Parts = append(i.Parts, schema.Part{Expr: where})
		}
		for _, n := range include {
			i.Parts = append(i.Parts, schema.Part{Column: n})
		}
		out = append(out, i)
	}
	for _, x := range t.Indexes {
		if !x.Unique {
			add(x.Parts, x.Where, x.Include, false)
		}
	}
	for _, u := range uniquesOf(t) {
		add(u.Parts, u.where, u.include, true)
	}
	return out
}

// labelled refuses a write by which a program would learn of labelled columns.
func (c *rules) labelled(t *schema.Table, w Write, refuse refusing) {
	if w.Trusted || len(w.Labelled)+len(w.LabelledRows) == 0 {
		return
	}
	for _, x := range c.tells(t, w) {
		refuse.unless(x.permission(), check.HiddenEffect, "a table without that rule, or a write of other columns", ", if programs may learn of what is labelled",
			"programs may write to it, and %s is about what is labelled: %s", x.rule, x.why)
	}
}
