package answer

// This file makes a unit's part of a change set: the rows that a person sees, and everything that the run determines.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/known"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/internal/reread"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/schema"
)

// maxCaptured bounds the bytes of text in the images of one unit.
const maxCaptured = 64 << 20

// wrote has the number of rows of a table that were written in one way, and the database's names of the columns that were written.
type wrote struct {
	rows int64
	set  []string
}

// written is a table, and a way of writing it.
type written struct {
	table schema.Name
	way   writing.Kind
}

func (w *wrote) add(rows int64, set []string) {
	w.rows += rows
	for _, c := range set {
		if !slices.Contains(w.set, c) {
			w.set = append(w.set, c)
		}
	}
}

// count notes that a message has written n rows.
func (w *work) count(x *changing, n int64) {
	if x.m == nil { // Go code of the host writes without a message
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted = append(w.counted, counted{x, n})
}

// counted is a message that has written, with its number of rows.
type counted struct {
	x *changing
	n int64
}

// rulesOf is the key under which a run keeps the rules of a database: see exo.Message.PerRun.
type rulesOf struct{ db *DB }

// ruled returns the facets with rules among all grants of the message's program for its database. A rule applies to its table, whatever facet a
// program writes through. A facet that an earlier grant reached is skipped, so that a large grant file is walked once.
func ruled(m *exo.Message, db *DB) []*decl.Facet {
	return m.PerRun(rulesOf{db}, func() any {
		var out []*decl.Facet
		seen := map[*decl.Facet]bool{}
		for _, x := range m.UnitObjects() {
			o, ok := x.(*Object)
			if !ok || o.Facet == nil || seen[o.Facet] {
				continue
			}
			reach, err := o.Facet.Close()
			if err != nil {
				continue // the grant of this facet was refused
			}
			for _, f := range reach {
				if !seen[f] && len(f.Rights.Approvals) > 0 {
					out = append(out, f)
				}
				seen[f] = true
			}
		}
		return out
	}).([]*decl.Facet)
}

// asks returns the rules of approval that apply to the run's changes, or may apply to them together with the day's other changes. It is called when
// the unit is prepared.
func (w *work) asks(ctx context.Context) ([]changeset.Ask, error) {
	w.mu.Lock()
	all := w.counted
	w.mu.Unlock()
	var rules []*decl.Facet
	for _, c := range all {
		for _, f := range append(ruled(c.x.m, w.db), c.x.run.Facet) { // the written facet is added, since an object that came in a reply is no grant
			if len(f.Rights.Approvals) > 0 && !slices.Contains(rules, f) {
				rules = append(rules, f)
			}
		}
	}
	if rules == nil {
		return nil, nil
	}
	live, _, err := w.db.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	rows, unseen, err := w.writtenRows(ctx, live, all)
	if err != nil {
		return nil, err
	}
	return met(live, rules, rows, unseen), nil
}

// writtenRows counts the written rows, by table and way of writing. If the database reports all rows, rows that a cascade or a trigger changed count too, with
// each column that has another value now. If it does not, unseen has the facets through which a write may have started a cascade or a trigger.
func (w *work) writtenRows(ctx context.Context, live *schema.Database, all []counted) (rows map[written]*wrote, unseen []*decl.Facet, err error) {
	rows = map[written]*wrote{}
	for _, c := range all {
		count(rows, written{nameOf(live, c.x.run.Table), c.x.run.Kind}, c.n, c.x.sets())
		if f := c.x.run.Facet; f.Rights.Act() && !slices.Contains(unseen, f) {
			unseen = append(unseen, f)
		}
	}
	if unseen == nil {
		return rows, nil, nil
	}
	images, err := w.Captured(ctx)
	switch {
	case errors.Is(err, engine.ErrNoImages) || errors.Is(err, engine.ErrTooManyImages):
		return rows, unseen, nil
	case err != nil:
		return nil, nil, err
	}
	seen := map[written]*wrote{}
	for _, im := range images {
		way, set := wayOf(im)
		count(seen, written{im.Table, way}, 1, set)
	}
	for x, n := range seen {
		more := n.rows
		if y := rows[x]; y != nil {
			more = max(0, n.rows-y.rows) // y counts a row twice that was written twice
		}
		count(rows, x, more, n.set)
	}
	return rows, nil, nil
}

func count(in map[written]*wrote, at written, rows int64, set []string) {
	if in[at] == nil {
		in[at] = &wrote{}
	}
	in[at].add(rows, set)
}

// met returns the facets' rules that apply to the written rows. Where a facet in unseen may have started changes that are not counted, met returns
// the rules of the tables that these changes may reach.
func met(live *schema.Database, rules []*decl.Facet, rows map[written]*wrote, unseen []*decl.Facet) (out []changeset.Ask) {
	said := map[string]bool{} // said has the rules that are reported already: two facets of a table may have the same rule
	for _, f := range rules {
		own := map[string]int{} // own has, for each name, the index in out of its count
		for _, a := range f.Rights.Approvals {
			what := fmt.Sprint(nameOf(live, f.Table), a.Always, a.Counted, a.Over, a.Delete, decl.Names(a.Columns), a.Who)
			if said[what] {
				continue
			}
			said[what] = true
			for _, way := range []writing.Kind{writing.Inserts, writing.Updates, writing.Deletes} {
				n := rows[written{nameOf(live, f.Table), way}]
				if n == nil {
					continue
				}
				for _, ask := range f.Asks(a, way, n.set, n.rows) {
					if i, ok := own[ask.Count]; ok && ask.Count != "" {
						out[i].Rows += ask.Rows
						continue
					}
					own[ask.Count] = len(out)
					out = append(out, ask)
				}
			}
			for _, by := range unseen {
				if mayReach(by, f) {
					out = append(out, changeset.Ask{Rule: "what a change of " + by.Alias + " does to " + f.Alias, Who: a.Who})
				}
			}
		}
	}
	return out
}

// mayReach reports whether a write through the facet by may make the database change rows of f's table. Only the permission of a cascade names its table.
func mayReach(by, f *decl.Facet) bool {
	return slices.ContainsFunc(by.Rights.Permits, func(p decl.Permission) bool {
		return p.Acts() && (p.Kind != decl.PermitCascade || sameTable(p.On, f.Table.Name))
	})
}

// sameTable compares two names of tables, with or without a schema. It treats them as equal if a schema is missing.
func sameTable(a, b string) bool {
	last := func(s string) string { return sqlast.Fold(s[strings.LastIndexByte(s, '.')+1:]) }
	return last(a) == last(b)
}

// wayOf returns how the row of an image was written, and the columns that have other values now.
func wayOf(im engine.Image) (way writing.Kind, set []string) {
	switch {
	case im.After == nil:
		return writing.Deletes, nil
	case im.Before == nil:
		for i, c := range im.Columns {
			if !slices.Contains(im.Filled, i) && !im.After[i].Null {
				set = append(set, c)
			}
		}
		return writing.Inserts, set
	}
	for i, c := range im.Columns {
		if im.Before[i] != im.After[i] {
			set = append(set, c)
		}
	}
	return writing.Updates, set
}

// nameOf returns the database's name for a declared table.
func nameOf(live *schema.Database, t *decl.Table) schema.Name {
	name := schema.Name{Schema: t.Schema, Name: strings.TrimPrefix(t.Name, t.Schema+".")}
	if x := live.Table(name); x != nil {
		return x.Name
	}
	return name
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

// Asks implements exo.Asker. A change of a table with rules may need a person's approval. So may a change that can make the database change such a table.
func (o *Object) Asks(m *exo.Message) (rule string, who changeset.Who) {
	f := writing.Target(m, func(slot int) *decl.Facet {
		if p, ok := m.Objects[slot].(*Object); ok {
			return p.Facet
		}
		return nil
	})
	if f == nil {
		return "", who
	}
	may := func(r *decl.Facet) bool { return sameTable(r.Table.Name, f.Table.Name) || mayReach(f, r) }
	if len(f.Rights.Approvals) == 0 && !slices.ContainsFunc(ruled(m, o.DB), may) {
		return "", who
	}
	return "a change of " + f.Alias, who
}

// MayAsk implements exo.Asker. It reports whether a facet that the object reaches has rules of approval.
func (o *Object) MayAsk() bool {
	reach, err := o.Facet.Close()
	return err != nil || slices.ContainsFunc(reach, func(f *decl.Facet) bool { return len(f.Rights.Approvals) > 0 })
}

// review makes the database's part of the change set. effects are the side effects that the facets permit.
func (w *work) review(ctx context.Context, effects []string) (out changeset.Part, err error) {
	live, _, err := w.db.catalogue(ctx)
	if err != nil {
		return out, err
	}
	if reread.Asked(ctx) { // a trigger may be newer than the catalogue, and act after the statement has returned its rows
		if err := w.images.readAgain(ctx, func(*image) bool { return true }); err != nil {
			return out, err
		}
	}
	images, err := w.Captured(ctx)
	whole := err == nil
	if errors.Is(err, engine.ErrNoImages) {
		if len(effects) > 0 {
			out.Unfit = "the database itself would change further rows (" + strings.Join(effects, ", ") + "), and no trigger reports these rows: run the script that `exo gen undo` writes"
			return out, nil
		}
		images, err = w.facetImages(live)
	}
	if errors.Is(err, engine.ErrTooManyImages) || w.images.more > 0 {
		out.Unfit = fmt.Sprintf("the run changes more than the %d rows that a person can be shown: change fewer rows in one run: change fewer rows in one run", w.images.limit)
		return out, nil
	}
	for _, r := range w.images.rows { // the names of its grants identify the database among others with the same rows
		names, ok := r.x.m.GrantNames()
		if !ok {
			out.Unfit = "the run changes rows through an object that a call returned, which has no name to show: change them through a granted object"
			return out, nil
		}
		for _, name := range names {
			if !slices.Contains(out.Grants, name) {
				out.Grants = append(out.Grants, name)
			}
		}
	}
	slices.Sort(out.Grants)
	if err != nil {
		return out, err
	}
	k := known.Of(images, func() []known.Refers { return w.refers(live) }, func(t schema.Name, column string) bool { return w.sees(live, t, column) })
	out.Known, out.New, out.Copies = k.Text, k.New, k.Copies
	found := finder{live: live, images: images, by: map[*decl.Table]map[string]int{}, taken: make([]bool, len(images))}
	for _, r := range w.images.rows {
		row, ok := shown(r)
		if !ok && !whole {
			continue
		}
		if i := found.take(r); i >= 0 {
			filled(&row, r, images[i])
			row.Other = !ok || other(r.x.run.Facet, images[i])
			if ok || row.Other {
				out.Rows = append(out.Rows, row)
			}
		} else if ok {
			out.Rows = append(out.Rows, row)
		}
	}
	if whole {
		out.Also = also(found.left())
	}
	slices.SortStableFunc(out.Rows, func(a, b changeset.Row) int { return strings.Compare(a.Table, b.Table) })
	return out, nil
}

// shown returns a row with the cells that its facet shows. ok is false if none of these has changed.
func shown(r *image) (row changeset.Row, ok bool) {
	row = changeset.Row{Table: r.x.run.Facet.Alias, Kind: changeset.Changed}
	key := scalar.Each(r.key, func(v value.Value) string { return plainly(v) })
	row.Key = strings.Join(key, ", ")
	if slices.ContainsFunc(r.x.run.Table.Keys, func(c *decl.Column) bool { return !c.Label.Join(r.x.run.Table.Label).Secrecy().Empty() }) {
		row.Key = "[sealed]" // a cell with the key would have its label
	}
	// A row of a labelled facet is listed even if it is unchanged: a missing row would reveal that the program guessed a value.
	labelled := slices.ContainsFunc(r.x.run.Facet.Cols, func(c *decl.Column) bool { return !c.Label.Secrecy().Empty() })
	fields := r.after
	switch {
	case r.before.IsZero() && r.after.IsZero():
		return row, false
	case r.before.IsZero():
		row.Kind = changeset.Added
	case r.after.IsZero():
		row.Kind, fields = changeset.Deleted, r.before
	}
	row.Cells = make([]changeset.Cell, 0, len(fields.FieldList()))
	for i, f := range fields.FieldList() {
		c := changeset.Cell{Name: f.Name, Label: f.Value.Label().Secrecy().Tags()}
		for _, of := range []struct {
			row  value.Value
			to   **string
			null *bool
		}{{r.before, &c.Before, &c.WasNull}, {r.after, &c.After, &c.IsNull}} {
			if of.row.IsZero() {
				continue
			}
			v := of.row.FieldList()[i].Value // split has made both rows for one facet
			text := plainly(v)
			*of.to, *of.null = &text, v.IsNull()
		}
		row.Cells, ok = append(row.Cells, c), ok || labelled || c.Changed()
	}
	return row, ok
}

// plainly writes a value for a person to read.
func plainly(v value.Value) string {
	switch v.Type() {
	case value.TypeText:
		return v.Text()
	case value.TypeInt:
		return strconv.FormatInt(v.Int(), 10)
	}
	text, err := v.AppendJSON(nil)
	if err != nil {
		return "?"
	}
	return strings.Trim(string(text), `"`)
}

// finder finds images by the keys of their rows.
type finder struct {
	live   *schema.Database
	images []engine.Image
	by     map[*decl.Table]map[string]int
	taken  []bool
	key    []byte
}

// take returns the index of a row's image. It returns -1 if there is none, or if take has returned it before.
func (f *finder) take(r *image) int {
	t := r.x.run.Table
	places, ok := f.by[t]
	if !ok {
		places = map[string]int{}
		for n, im := range f.images {
			if im.Table != nameOf(f.live, t) { // a table of another schema may have this name, and the same keys
				continue
			}
			cells := im.After
			if cells == nil {
				cells = im.Before
			}
			f.key = f.key[:0]
			for _, c := range t.Keys {
				if at := slices.Index(im.Columns, c.Name); at >= 0 {
					f.key = append(strconv.AppendQuote(f.key, known.Plain(cells[at])), ',')
				}
			}
			places[string(f.key)] = n
		}
		f.by[t] = places
	}
	f.key = f.key[:0]
	for _, v := range r.key {
		f.key = append(strconv.AppendQuote(f.key, plainly(v)), ',')
	}
	if n, ok := places[string(f.key)]; ok && !f.taken[n] {
		f.taken[n] = true
		return n
	}
	return -1
}

// left returns the images that take has not returned.
func (f *finder) left() (out []engine.Image) {
	for i, im := range f.images {
		if !f.taken[i] {
			out = append(out, im)
		}
	}
	return out
}

// sees reports whether a column is shown by one of the facets that w.facets visits.
func (w *work) sees(live *schema.Database, t schema.Name, column string) bool {
	if w.shows == nil {
		w.shows = map[shownColumn]bool{}
		w.facets(func(f *decl.Facet) {
			for _, c := range f.Cols {
				w.shows[shownColumn{nameOf(live, f.Table), c.Name}] = true
			}
		})
	}
	return w.shows[shownColumn{t, column}]
}

// shownColumn is a column and its table, by their names in the database.
type shownColumn struct {
	table  schema.Name
	column string
}

// facets calls f with each facet through which the run has changed rows, and with each facet that these lead to.
func (w *work) facets(f func(*decl.Facet)) {
	seen := map[*decl.Facet]bool{}
	var walk func(*decl.Facet)
	walk = func(x *decl.Facet) {
		if seen[x] {
			return
		}
		seen[x] = true
		f(x)
		for _, l := range x.Links {
			walk(l.To)
		}
	}
	for _, r := range w.images.rows {
		walk(r.x.run.Facet)
	}
}

// other reports whether an image has a changed column that the facet does not show.
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

// filled marks the cells of a new row for which the database chose the value.
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

// also describes the changed rows that a person is not shown: those of cascades and triggers.
func also(left []engine.Image) (out []string) {
	n := map[string]int{}
	for _, im := range left {
		kind := changeset.Changed
		if im.Before == nil {
			kind = changeset.Added
		} else if im.After == nil {
			kind = changeset.Deleted
		}
		name := im.Table.Name
		if s := im.Table.Schema; s != "" && s != "public" && s != "main" {
			name = s + "." + name
		}
		n[name+" "+string(kind)]++
	}
	for _, what := range slices.Sorted(maps.Keys(n)) {
		table, kind, _ := strings.Cut(what, " ")
		out = append(out, fmt.Sprintf("rows of %s that no grant shows: %d %s", table, n[what], kind))
	}
	return out
}

// facetImages makes images of the rows that the facets show, for an engine that reports none itself.
func (w *work) facetImages(live *schema.Database) (out []engine.Image, err error) {
	for _, r := range w.images.rows {
		if r.before.IsZero() && r.after.IsZero() {
			continue
		}
		f := r.x.run.Facet
		im := engine.Image{Table: nameOf(live, f.Table)}
		cells := func(row value.Value) (cells []engine.Cell) {
			if row.IsZero() {
				return nil
			}
			for _, v := range r.key { // the key belongs to the image even if the facet does not show it
				cells = append(cells, engine.Cell{Text: plainly(v)})
			}
			for _, field := range row.FieldList() { // the fields are in the order of f.Cols
				cells = append(cells, engine.Cell{Null: field.Value.IsNull(), Text: plainly(field.Value)})
			}
			return cells
		}
		im.Before, im.After = cells(r.before), cells(r.after)
		t := live.Table(im.Table)
		given := r.x.sets()
		for i, c := range slices.Concat(f.Table.Keys, f.Cols) {
			im.Columns = append(im.Columns, c.Name)
			if i < len(f.Table.Keys) {
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

// fills reports whether the database chooses a column's value if a new row gives none.
func fills(t *schema.Table, column string) bool {
	if t == nil {
		return true
	}
	i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == column })
	return i < 0 || t.Columns[i].Default != "" || t.Columns[i].Identity != schema.NotIdentity || t.PrimaryKey != nil && slices.Contains(t.PrimaryKey.Columns, column)
}

// refers returns the columns that contain keys of other tables, by the database's foreign keys and by the facets' links.
func (w *work) refers(live *schema.Database) (out []known.Refers) {
	for _, t := range live.Tables {
		for _, fk := range t.ForeignKeys {
			for i, c := range fk.Columns {
				out = append(out, known.Refers{Table: t.Name, Column: c, To: fk.Table, Key: fk.References[i]})
			}
		}
	}
	name := func(t *decl.Table) schema.Name { return nameOf(live, t) }
	w.facets(func(f *decl.Facet) {
		for _, l := range f.Links {
			for _, p := range l.L.Pairs {
				out = append(out, known.Refers{Table: name(l.L.From), Column: p.From.Name, To: name(l.L.To), Key: p.To.Name},
					known.Refers{Table: name(l.L.To), Column: p.To.Name, To: name(l.L.From), Key: p.From.Name})
			}
		}
	})
	return out
}
