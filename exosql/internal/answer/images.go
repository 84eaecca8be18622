package answer

// This file keeps the images of rows before and after a run.

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

// images are the images of a unit of work.
type images struct {
	limit int
	rows  []*image
	at    map[imageKey]*image
	more  int64
}

type imageKey struct {
	of  any     // the facet: a row looks different through another facet
	by  *Object // the grant: one grant may show what another may not
	key string
}

// through returns the grant that has the written rows in scope.
func (x *changing) through() *Object { return x.objs[x.run.Grant.Origin] }

type image struct {
	x             *changing // the write; the row is read again in its scope
	key           []value.Value
	before, after value.Value
}

// note keeps the image of a row, unless it has one already, and reports whether the row has an image.
func (im *images) note(x *changing, key []value.Value, before value.Value) bool {
	text, err := value.List(key...).AppendJSON(nil)
	at := imageKey{x.run.Facet, x.through(), string(text)}
	if err != nil || im.at[at] != nil {
		return err == nil
	}
	if len(im.rows) >= im.limit {
		return false
	}
	if im.at == nil {
		im.at = map[imageKey]*image{}
	}
	im.at[at] = &image{x: x, key: key, before: before}
	im.rows = append(im.rows, im.at[at])
	return true
}

// split separates the key at the front of a row from the columns of the facet.
func split(x *changing, cells []value.Value) (key []value.Value, row value.Value) {
	n := len(x.run.Table.Keys)
	fields := make([]value.Field, 0, len(cells)-n)
	for i, c := range x.run.Facet.Cols {
		fields = append(fields, value.Field{Name: c.Guest, Value: cells[n+i].WithLabel(c.Label.Join(x.run.Table.Label))})
	}
	return append([]value.Value(nil), cells[:n]...), value.RecordValue(fields...)
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
	in := rows.Reader()
	for i := range rows.Len() {
		if key, row := split(x, in.Cells(i)); im.note(x, key, row) {
			kept++
		}
	}
	return kept, nil
}

// Changed implements writing.Host.
func (x *changing) Changed(n, kept int64) {
	x.work.count(x, n)
	if im := x.work.images; im != nil {
		im.more += n - kept
	}
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
		if !slices.ContainsFunc(key, value.Value.IsNull) && im.note(x, key, value.Value{}) { // a key with NULL finds no row
			n--
		}
	}
	im.more += n
}

// imagePlan finds or makes a plan that reads images. It depends on the message's shape, as its own plan does, and on the label by which its cells are
// sealed.
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

// unseen runs a plan in the unit for the host alone: it spends no budget, and the record has no Query of it.
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

// imagesAtOnce are the numbers of keys that a statement may take: each number is a statement of its own, which is kept.
var imagesAtOnce = []int{1, 10, 100}

// Changes implements exo.ChangeLister: it reads each written row once more at the end of the run.
func (w *work) Changes(ctx context.Context) (any, error) {
	im := w.images
	if im == nil {
		return nil, nil
	}
	for i := 0; i < len(im.rows); {
		first := im.rows[i]
		n := 1
		for i+n < len(im.rows) && n < imagesAtOnce[len(imagesAtOnce)-1] && im.rows[i+n].x.run.Facet == first.x.run.Facet && im.rows[i+n].x.through() == first.x.through() {
			n++
		}
		if err := first.x.imagesAfter(ctx, im, im.rows[i:i+n]); err != nil {
			return nil, err
		}
		i += n
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
		if !labelled && !r.before.IsZero() && !r.after.IsZero() && r.before.String() == r.after.String() || r.before.IsZero() && r.after.IsZero() {
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

// imagesAfter reads rows by their keys.
func (x *changing) imagesAfter(ctx context.Context, im *images, rows []*image) error {
	n, _ := slices.BinarySearch(imagesAtOnce, len(rows))
	n = imagesAtOnce[n]
	p, err := x.imagePlan("after "+strconv.Itoa(n), func() (*plan.Plan, error) { return compile.After(x.db.Engine(ctx), x.m, x.run.Grant, x.run.Facet, n) })
	if err != nil {
		return err
	}
	keys := make([]value.Value, 0, n*len(x.run.Table.Keys))
	for i := range n { // the last one fills the rest
		keys = append(keys, rows[min(i, len(rows)-1)].key...)
	}
	found, err := x.unseen(ctx, p, keys)
	if err != nil {
		return err
	}
	in := found.Reader()
	for i := range found.Len() {
		key, row := split(x, in.Cells(i))
		text, err := value.List(key...).AppendJSON(nil)
		if err != nil {
			return err
		}
		if r := im.at[imageKey{x.run.Facet, x.through(), string(text)}]; r != nil {
			r.after = row
		}
	}
	return nil
}

var _ exo.ChangeLister = (*work)(nil)
