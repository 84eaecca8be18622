package answer

// This file decides which runs a person may undo, by the rows that the undo would change. The operator's undo asks nothing of this file.

import (
	"context"
	"slices"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/known"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// Undoer is a person with grants. They may undo a run if each of its rows is in the scope of a facet with the right to undo, before and after the undo.
type Undoer struct {
	db  *DB
	may []undoable
}

// undoable is a facet whose rows the person may undo, within the scope of a grant.
type undoable struct {
	*Object
	facet *decl.Facet
}

// ErrNotTheirs is the error of an undo that a person may not make. It is the same for a run that does not exist, so it reveals no run of another person.
var ErrNotTheirs = &fail.Error{Kind: fail.Denied, Msg: "nothing of this run can be undone here: there is no such run, or you may not undo the change of one of its rows, as the row is or as it was; ask the operator to undo the run"}

// NewUndoer makes an Undoer. own reports whether the run is one of the person's own.
func (db *DB) NewUndoer(own bool, granted []exo.Object) (*Undoer, error) {
	u := &Undoer{db: db}
	for _, x := range granted {
		o, ok := x.(*Object)
		if !ok || o.DB != db {
			continue
		}
		if err := o.Prepare(); err != nil {
			return nil, err
		}
		reach, err := o.Facet.Close()
		if err != nil {
			return nil, err
		}
		for _, f := range reach {
			if f.Rights.Undo == decl.UndoAny || own && f.Rights.Undo == decl.UndoOwn {
				u.may = append(u.may, undoable{o, f})
			}
		}
	}
	return u, nil
}

// May returns ErrNotTheirs unless the person may undo each image of the undo. done means that the undo has changed the rows, which are now as in After.
func (u *Undoer) May(ctx context.Context, w engine.Writer, live *schema.Database, images []engine.Image, done bool) error {
	left := slices.DeleteFunc(slices.Clone(images), func(im engine.Image) bool { return done && im.After == nil || !done && im.Before == nil })
	for _, x := range u.may {
		keys, loose := x.keys(live, left, done)
		for n := writing.CheckBatch; len(keys) > 0; {
			n = min(n, len(keys))
			found, err := u.count(ctx, w, x, keys[:n])
			switch {
			case err != nil:
				return err
			case found == n: // all of these are in scope
			case n > 1:
				n = 1 // one at a time shows which rows are in scope
				continue
			default:
				loose = append(loose, keys[0].im)
			}
			keys = keys[n:]
		}
		left = loose
	}
	if len(left) > 0 {
		return ErrNotTheirs
	}
	return nil
}

type keyOf struct {
	im  engine.Image
	key []value.Value
}

// keys returns the keys of the images of the facet's table, and the other images.
func (x undoable) keys(live *schema.Database, images []engine.Image, done bool) (keys []keyOf, others []engine.Image) {
	t := x.facet.Table
	for _, im := range images {
		row, key := im.Before, []value.Value(nil)
		if done {
			row = im.After
		}
		for _, c := range t.Keys {
			if at := slices.Index(im.Columns, c.Name); im.Table == nameOf(live, t) && at >= 0 && !row[at].Null {
				if v := keyValue(c, known.Plain(row[at])); !v.IsZero() {
					key = append(key, v)
				}
			}
		}
		if len(key) == 0 || len(key) != len(t.Keys) {
			others = append(others, im)
			continue
		}
		keys = append(keys, keyOf{im, key})
	}
	return keys, others
}

// keyValue returns a key as a value. It is zero for a type whose texts differ between databases: only the operator can undo rows with such keys.
func keyValue(c *decl.Column, text string) value.Value {
	switch c.Kind {
	case value.TypeInt:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return value.Int(n)
		}
		return value.Value{}
	case value.TypeBool, value.TypeFloat, value.TypeTime, value.TypeBytes:
		return value.Value{}
	}
	return value.Text(text)
}

// count returns how many rows in scope have one of the keys. No two of the keys are equal.
func (u *Undoer) count(ctx context.Context, w engine.Writer, x undoable, keys []keyOf) (int, error) {
	ready, t := x.Ready().Grant, x.facet.Table
	m := &exo.Message{Checked: message.Checked{Root: &message.Node{Op: message.OpCall}}}
	grants := shape.Grants([]shape.Prepared{ready})
	p, err := compile.NewStatement(u.db.Engine(ctx), m, grants).Count(grants[0], t, t.Keys, len(keys))
	if err != nil {
		return 0, err
	}
	var given []value.Value
	for _, k := range keys {
		given = append(given, k.key...)
	}
	args, err := p.Bind(given, [][]value.Value{ready.Vals}, nil, m.Zone())
	if err != nil {
		return 0, err
	}
	by, err := u.db.settingsOf([]*Object{x.Object})
	if err != nil {
		return 0, err
	}
	w.With(by)
	defer w.With(nil)
	out := plan.NewCollector(p, nil)
	if err = w.Query(ctx, p, args, out); err == nil {
		err = out.End()
	}
	if err != nil {
		return 0, err
	}
	return int(out.Rows().Reader().Cells(0)[0].Int()), nil
}

// Shown returns the part of an image that the person may see: the columns without secrecy of the facets. others counts the changed columns that it leaves out.
func (u *Undoer) Shown(live *schema.Database, im engine.Image) (out engine.Image, others int) {
	out = engine.Image{Table: im.Table}
	for i, name := range im.Columns {
		seen := slices.ContainsFunc(u.may, func(x undoable) bool {
			return nameOf(live, x.facet.Table) == im.Table && slices.ContainsFunc(x.facet.Cols, func(c *decl.Column) bool {
				return c.Name == name && c.Label.Join(x.facet.Table.Label).Secrecy().Empty()
			})
		})
		if !seen {
			if im.Before == nil || im.After == nil || im.Before[i] != im.After[i] {
				others++
			}
			continue
		}
		if slices.Contains(im.Key, i) {
			out.Key = append(out.Key, len(out.Columns))
		}
		out.Columns = append(out.Columns, name)
		if im.Before != nil {
			out.Before = append(out.Before, im.Before[i])
		}
		if im.After != nil {
			out.After = append(out.After, im.After[i])
		}
	}
	return out, others
}
