package answer

// This file keeps images of changed rows. An image is a row as one facet shows it, before and after a run.

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// images are the images of the rows that a unit has changed.
type images struct {
	limit int
	rows  []*image
	at    map[imageOf]map[string]*image // at finds an image by the text of its key
	more  int64                         // more counts the written rows that have no image
	text  []byte                        // text is the text of the last key
	wrote int                           // wrote counts the statements that have changed rows
}

type imageOf struct {
	of any     // of is the facet, since each facet shows a row differently
	by *Object // by is the grant, since one grant may show what another hides
}

// through returns the granted object that has the written rows in scope.
func (x *changing) through() *Object { return x.objs[x.run.Grant.Origin] }

type image struct {
	x             *changing // x is the write, with the scope in which the row is read again
	key           []value.Value
	before, after value.Value
	wrote         int // wrote is images.wrote at the statement that returned after; 0: after is read at the end
}

// find returns the images of the write's facet and grant, by the texts of their keys. It leaves the text of key in im.text.
func (im *images) find(x *changing, key []value.Value) (by map[string]*image, err error) {
	of := imageOf{x.run.Facet, x.through()}
	if by = im.at[of]; by == nil {
		if im.at == nil {
			im.at = map[imageOf]map[string]*image{}
		}
		by = map[string]*image{}
		im.at[of] = by
	}
	im.text = im.text[:0]
	for _, v := range key {
		if im.text, err = v.AppendJSON(im.text); err != nil {
			return nil, err
		}
		im.text = append(im.text, ',')
	}
	return by, nil
}

// note keeps an image of a row that has none yet, and reports whether the row has one now.
func (im *images) note(x *changing, key []value.Value, before value.Value) bool {
	by, err := im.find(x, key)
	if err != nil || by[string(im.text)] != nil {
		return err == nil
	}
	if len(im.rows) >= im.limit {
		return false
	}
	r := &image{x: x, key: key, before: before}
	by[string(im.text)] = r
	im.rows = append(im.rows, r)
	return true
}

// split separates the key at the front of each row from the facet's columns, and calls f with both.
func split(x *changing, rows *value.Rows, f func(key []value.Value, row value.Value)) {
	in, n := rows.Reader(), len(x.run.Table.Keys)
	cols := x.run.Facet.Cols
	labels := make([]value.Label, len(cols))
	for i, c := range cols {
		labels[i] = c.Label.Join(x.run.Table.Label)
	}
	for i := range rows.Len() {
		cells := in.Cells(i)
		fields := make([]value.Field, len(cols))
		for j, c := range cols {
			fields[j] = value.Field{Name: c.Guest, Value: cells[n+j].WithLabel(labels[j])}
		}
		f(slices.Clone(cells[:n]), value.RecordValue().WithFields(fields))
	}
}

// Before implements writing.Host.
func (x *changing) Before() (kept int64, err error) {
	im := x.work.images
	if im == nil || x.run.Kind == writing.Inserts {
		return 0, nil
	}
	p, err := x.imagePlan("before", func() (*plan.Plan, error) {
		return compile.Before(x.db.Engine(x.ctx), x.m, grantsOf(x.objs), im.limit)
	})
	if err != nil {
		return 0, err
	}
	rows, err := x.unseen(x.ctx, p, x.m.Args)
	if err != nil {
		return 0, err
	}
	split(x, rows, func(key []value.Value, row value.Value) {
		if im.note(x, key, row) {
			kept++
		}
	})
	return kept, nil
}

// Changed implements writing.Host.
func (x *changing) Changed(n, kept int64) {
	x.work.count(x, n)
	if im := x.work.images; im != nil {
		im.more += n - kept
	}
}

// returned keeps the rows that an update has returned, as its images until the next statement. It keeps none if a trigger may act.
func (x *changing) returned(rows *value.Rows) (err error) {
	im := x.work.images
	if im == nil {
		return nil
	}
	if im.wrote++; x.run.Kind != writing.Updates || x.run.Facet.Rights.Act() {
		return nil
	}
	split(x, rows, func(key []value.Value, row value.Value) {
		by, bad := im.find(x, key)
		if bad != nil {
			err = bad
		} else if r := by[string(im.text)]; r != nil {
			r.after, r.wrote = row, im.wrote
		}
	})
	return err
}

// Inserted implements writing.Host.
func (x *changing) Inserted(n int64, keys *value.Rows) {
	x.work.count(x, n)
	im := x.work.images
	if im == nil {
		return
	}
	in := keys.Reader()
	for i := range keys.Len() {
		key := append([]value.Value(nil), in.Cells(i)...)
		if !slices.ContainsFunc(key, value.Value.IsNull) && im.note(x, key, value.Value{}) { // NULL in a key would find no row
			n--
		}
	}
	im.more += n
}

// imagePlan finds or makes a plan that reads images. The plan depends on the message's shape, and on the label for which its cells are sealed.
func (x *changing) imagePlan(what string, make func() (*plan.Plan, error)) (*plan.Plan, error) {
	var keys [512]byte
	key := fmt.Appendf(keys[:0], "%s %q ", what, x.m.RunLabel().Secrecy().Tags())
	key = shapeKey(key, x.asked)
	p, ok := x.db.Plans.Get(key)
	if !ok {
		made, err := make()
		if err != nil {
			return nil, err
		}
		p = x.db.Plans.Add(key, made)
	}
	return p, nil
}

// unseen runs a plan in the unit only for the host: it spends no budget, and the record has no Query for it.
func (x *changing) unseen(ctx context.Context, p *plan.Plan, args []value.Value) (*value.Rows, error) {
	bound, err := p.Bind(args, x.vals, x.run.ParentRow, x.m.Zone())
	if err != nil {
		return nil, err
	}
	out, err := x.work.Read(ctx, p, bound, x.by, nil, func(*exo.Message) *plan.Collector { return plan.NewCollector(p, nil) })
	if err != nil {
		return nil, err
	}
	return out.Rows(), nil
}

// imagesAtOnce are the numbers of keys by which one statement can read images. Each number has its own statement and plan.
var imagesAtOnce = []int{1, 10, 100}

// Changes implements exo.ChangeLister: it reads every written row again at the end of the run.
func (w *work) Changes(ctx context.Context) (any, error) {
	im := w.images
	if im == nil {
		return nil, nil
	}
	if err := im.readAgain(ctx, func(r *image) bool { return r.wrote == 0 || r.wrote != im.wrote }); err != nil {
		return nil, err
	}
	var rows []Change
	var effects []string
	for _, r := range im.rows {
		for _, p := range r.x.run.Facet.Rights.Permits {
			if name := schema.Printable(p.String()); p.Acts() && !slices.Contains(effects, name) {
				effects = append(effects, name)
			}
		}
		labelled := slices.ContainsFunc(r.x.run.Facet.Cols, func(c *decl.Column) bool { return !c.Label.Secrecy().Empty() })
		if !labelled && !r.before.IsZero() && !r.after.IsZero() && value.Equal(r.before, r.after) || r.before.IsZero() && r.after.IsZero() {
			continue
		}
		rows = append(rows, Change{Table: r.x.run.Facet.Alias, Key: r.key, Before: r.before, After: r.after})
	}
	asks, err := w.asks(ctx)
	if err != nil {
		return nil, err
	}
	return w.db.Face.Changes(Listed{Rows: rows, More: im.more, Effects: effects, Asks: asks, Review: func(ctx context.Context) (changeset.Part, error) { return w.review(ctx, effects) }}), nil
}

// readAgain reads each row again for which stale returns true.
func (im *images) readAgain(ctx context.Context, stale func(*image) bool) error {
	var rows []*image
	for _, r := range im.rows {
		if stale(r) {
			r.after, rows = value.Value{}, append(rows, r)
		}
	}
	for i := 0; i < len(rows); {
		first := rows[i]
		n := 1
		for i+n < len(rows) && n < imagesAtOnce[len(imagesAtOnce)-1] && rows[i+n].x.run.Facet == first.x.run.Facet && rows[i+n].x.through() == first.x.through() {
			n++
		}
		if err := first.x.imagesAfter(ctx, im, rows[i:i+n]); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// imagesAfter reads rows again by their keys.
func (x *changing) imagesAfter(ctx context.Context, im *images, rows []*image) error {
	n, _ := slices.BinarySearch(imagesAtOnce, len(rows))
	n = imagesAtOnce[n]
	p, err := x.imagePlan("after "+strconv.Itoa(n), func() (*plan.Plan, error) { return compile.After(x.db.Engine(ctx), x.m, x.run.Grant, x.run.Facet, n) })
	if err != nil {
		return err
	}
	keys := make([]value.Value, 0, n*len(x.run.Table.Keys))
	for i := range n { // the last key fills the remaining places
		keys = append(keys, rows[min(i, len(rows)-1)].key...)
	}
	found, err := x.unseen(ctx, p, keys)
	if err != nil {
		return err
	}
	split(x, found, func(key []value.Value, row value.Value) {
		by, bad := im.find(x, key)
		if bad != nil {
			err = bad
		} else if r := by[string(im.text)]; r != nil {
			r.after = row
		}
	})
	return err
}

var _ exo.ChangeLister = (*work)(nil)
