package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
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
func (c *rules) rowsLabel(t *schema.Table, w Write) (l value.Label) {
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
