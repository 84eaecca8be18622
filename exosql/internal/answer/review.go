package answer

// This file makes a unit's part of a change set: the rows that a person sees, and all that the run determines. images.go comes before it.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/known"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// maxCaptured bounds the images of one unit, in bytes of text.
const maxCaptured = 64 << 20

// count is how many rows were written through a facet, in one way.
type count struct {
	facet *decl.Facet
	kind  writing.Kind
	set   []string
	rows  int64
}

// count adds rows that a message has written.
func (w *work) count(x *changing, n int64) {
	if len(x.run.Facet.Rights.Approvals) == 0 {
		return
	}
	set := x.sets()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.counts {
		if c.facet == x.run.Facet && c.kind == x.run.Kind && slices.Equal(c.set, set) {
			c.rows += n
			return
		}
	}
	w.counts = append(w.counts, &count{x.run.Facet, x.run.Kind, set, n})
}

// sets returns the columns that a write gives, by their names in the database.
func (x *changing) sets() (set []string) {
	if x.run.Change != nil {
		return x.run.Change.Write.Update
	}
	for _, in := range x.run.Inserts {
		for _, name := range in.One.Write.Given {
			if !slices.Contains(set, name) {
				set = append(set, name)
			}
		}
	}
	return set
}

// asks returns the rules that the counted rows meet. Rows of one table and one rule are added up, however many messages changed them.
func (w *work) asks() (out []changeset.Ask) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.counts {
		for _, a := range c.facet.Asks(c.kind, c.set, c.rows) {
			if i := slices.IndexFunc(out, func(b changeset.Ask) bool { return b.Count != "" && b.Count == a.Count }); i >= 0 {
				out[i].Rows += a.Rows
			} else {
				out = append(out, a)
			}
		}
	}
	return out
}

// Asks implements exo.Asker: a facet with rules may ask about each change.
func (o *Object) Asks(m *exo.Message) (rule string, who changeset.Who) {
	f := writing.Target(m, func(slot int) *decl.Facet {
		if p, ok := m.Objects[slot].(*Object); ok {
			return p.Facet
		}
		return nil
	})
	if f == nil || len(f.Rights.Approvals) == 0 {
		return "", who
	}
	return "a change of " + f.Alias, who
}

// MayAsk implements exo.Asker.
func (o *Object) MayAsk() bool {
	reach, err := o.Facet.Close()
	return err != nil || slices.ContainsFunc(reach, func(f *decl.Facet) bool { return len(f.Rights.Approvals) > 0 })
}

// review makes the store's part of the change set. effects are the side effects that the facets permit.
func (w *work) review(ctx context.Context, effects []string) (out changeset.Store, err error) {
	live, _, err := w.db.catalogue(ctx)
	if err != nil {
		return out, err
	}
	images, err := w.Captured(ctx)
	whole := err == nil
	if errors.Is(err, engine.ErrNoImages) {
		if len(effects) > 0 {
			out.Unfit = "the database would change more by itself (" + strings.Join(effects, ", ") + "), and nothing shows what: the host has to let it keep images of rows (exo gen undo)"
			return out, nil
		}
		images, err = w.facetImages(live)
	}
	if errors.Is(err, engine.ErrTooManyImages) || w.images.more > 0 {
		out.Unfit = fmt.Sprintf("it changes more rows than a person can be shown (%d): change fewer in one program", w.images.limit)
		return out, nil
	}
	if err != nil {
		return out, err
	}
	k := known.Of(images, w.refers(live))
	out.Known, out.New, out.Unfit = k.Text, k.New, k.Unfit
	left := slices.Clone(images)
	for _, r := range w.images.rows {
		row, ok := shown(r)
		if !ok && !whole {
			continue
		}
		if i := slices.IndexFunc(left, func(im engine.Image) bool { return is(im, r) }); i >= 0 {
			filled(&row, r, left[i])
			row.Other = !ok || other(r.x.run.Facet, left[i])
			if ok || row.Other {
				out.Rows = append(out.Rows, row)
			}
			left = slices.Delete(left, i, i+1)
		} else if ok {
			out.Rows = append(out.Rows, row)
		}
	}
	if whole {
		out.Also = also(left)
	}
	slices.SortStableFunc(out.Rows, func(a, b changeset.Row) int { return strings.Compare(a.Table, b.Table) })
	return out, nil
}

// shown returns a row as its facet shows it. ok is false if nothing that the facet shows has changed.
func shown(r *image) (row changeset.Row, ok bool) {
	row = changeset.Row{Table: r.x.run.Facet.Alias, Kind: changeset.Changed}
	var key []string
	for _, v := range r.key {
		key = append(key, plainly(v))
	}
	row.Key = strings.Join(key, ", ")
	fields := r.after
	switch {
	case r.before.IsZero() && r.after.IsZero():
		return row, false
	case r.before.IsZero():
		row.Kind = changeset.Added
	case r.after.IsZero():
		row.Kind, fields = changeset.Deleted, r.before
	}
	for name, v := range fields.Fields() {
		c := changeset.Cell{Name: name, Label: v.Label().Secrecy().Tags()}
		for _, of := range []struct {
			row value.Value
			to  **string
		}{{r.before, &c.Before}, {r.after, &c.After}} {
			if of.row.IsZero() {
				continue
			}
			text := plainly(field(of.row, name))
			*of.to = &text
		}
		row.Cells, ok = append(row.Cells, c), ok || c.Changed()
	}
	return row, ok
}

func field(row value.Value, name string) value.Value {
	for n, v := range row.Fields() {
		if n == name {
			return v
		}
	}
	return value.Value{}
}

// plainly writes a value as a person reads it.
func plainly(v value.Value) string {
	if v.Type() == value.TypeText {
		return v.Text()
	}
	text, err := v.AppendJSON(nil)
	if err != nil {
		return "?"
	}
	return strings.Trim(string(text), `"`)
}

// is reports whether an image is of the row of r.
func is(im engine.Image, r *image) bool {
	t, keys := r.x.run.Table, r.x.run.Table.Keys
	if im.Table.Name != t.Name && im.Table.Schema+"."+im.Table.Name != t.Name {
		return false
	}
	cells := im.After
	if cells == nil {
		cells = im.Before
	}
	for i, c := range keys {
		at := slices.Index(im.Columns, c.Name)
		if at < 0 || known.Plain(cells[at]) != plainly(r.key[i]) {
			return false
		}
	}
	return len(keys) > 0
}

// other reports whether an image has a change in a column that the facet does not show.
func other(f *decl.Facet, im engine.Image) bool {
	if im.Before == nil || im.After == nil {
		return false
	}
	for i, name := range im.Columns {
		if im.Before[i] != im.After[i] && !slices.ContainsFunc(f.Cols, func(c *decl.Column) bool { return c.Name == name }) {
			return true
		}
	}
	return false
}

// filled marks the cells that the database chooses.
func filled(row *changeset.Row, r *image, im engine.Image) {
	for i := range row.Cells {
		c := r.x.run.Facet.Column(row.Cells[i].Name)
		if at := slices.Index(im.Columns, c.Name); im.Before == nil && slices.Contains(im.Filled, at) {
			row.Cells[i].New = true
		}
	}
	if im.Before == nil && slices.ContainsFunc(im.Key, func(at int) bool { return slices.Contains(im.Filled, at) }) {
		row.Key = "new"
	}
}

// also says in words which rows change besides those that a person is shown: by cascades and triggers.
func also(left []engine.Image) (out []string) {
	n := map[string]int{}
	for _, im := range left {
		kind := changeset.Changed
		if im.Before == nil {
			kind = changeset.Added
		} else if im.After == nil {
			kind = changeset.Deleted
		}
		n[im.Table.Name+" "+string(kind)]++
	}
	for _, what := range slices.Sorted(maps.Keys(n)) {
		table, kind, _ := strings.Cut(what, " ")
		out = append(out, fmt.Sprintf("rows of %s that no grant shows: %d %s", table, n[what], kind))
	}
	return out
}

// facetImages makes images of the rows that the facets show, for a database that reports none.
func (w *work) facetImages(live *schema.Database) (out []engine.Image, err error) {
	for _, r := range w.images.rows {
		if r.before.IsZero() && r.after.IsZero() {
			continue
		}
		f := r.x.run.Facet
		im := engine.Image{Table: schema.Name{Schema: f.Table.Schema, Name: strings.TrimPrefix(f.Table.Name, f.Table.Schema+".")}}
		cells := func(row value.Value) (cells []engine.Cell) {
			if row.IsZero() {
				return nil
			}
			for _, c := range f.Cols {
				v := field(row, c.Guest)
				cells = append(cells, engine.Cell{Null: v.IsNull(), Text: plainly(v)})
			}
			return cells
		}
		im.Before, im.After = cells(r.before), cells(r.after)
		t := live.Table(im.Table)
		if t != nil {
			im.Table = t.Name
		}
		given := r.x.sets()
		for i, c := range f.Cols {
			im.Columns = append(im.Columns, c.Name)
			if c.Key {
				im.Key = append(im.Key, i)
			}
			if im.Before == nil && !slices.Contains(given, c.Name) && fills(t, c.Name) {
				im.Filled = append(im.Filled, i)
			}
		}
		if im.Before == nil || im.After == nil || !slices.Equal(im.Before, im.After) {
			out = append(out, im)
		}
	}
	return out, nil
}

// fills reports whether the database chooses a value for a column that a new row is not given.
func fills(t *schema.Table, column string) bool {
	if t == nil {
		return true
	}
	i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == column })
	return i < 0 || t.Columns[i].Default != "" || t.Columns[i].Identity != schema.NotIdentity || t.PrimaryKey != nil && slices.Contains(t.PrimaryKey.Columns, column)
}

// refers returns the columns that have keys of other tables: by the database's foreign keys, and by the links of the facets.
func (w *work) refers(live *schema.Database) (out []known.Refers) {
	for _, t := range live.Tables {
		for _, fk := range t.ForeignKeys {
			for i, c := range fk.Columns {
				out = append(out, known.Refers{Table: t.Name, Column: c, To: fk.Table, Key: fk.References[i]})
			}
		}
	}
	name := func(t *decl.Table) schema.Name {
		if x := live.Table(schema.Name{Schema: t.Schema, Name: strings.TrimPrefix(t.Name, t.Schema+".")}); x != nil {
			return x.Name
		}
		return schema.Name{Schema: t.Schema, Name: strings.TrimPrefix(t.Name, t.Schema+".")}
	}
	seen := map[*decl.Facet]bool{}
	var walk func(f *decl.Facet)
	walk = func(f *decl.Facet) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, l := range f.Links {
			for _, p := range l.L.Pairs {
				out = append(out, known.Refers{Table: name(l.L.From), Column: p.From.Name, To: name(l.L.To), Key: p.To.Name},
					known.Refers{Table: name(l.L.To), Column: p.To.Name, To: name(l.L.From), Key: p.From.Name})
			}
			walk(l.To)
		}
	}
	for _, r := range w.images.rows {
		walk(r.x.run.Facet)
	}
	return out
}
