package answer

// This file decides which runs a person may undo, by the rows that the undo would change. The operator's undo asks nothing of this file.

import (
	"context"
	"slices"
	"strconv"
	"strings"

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
	may []*undoable
}

// undoable is a facet whose rows the person may undo, within the scope of a grant.
type undoable struct {
	*Object
	facet         *decl.Facet
	table         schema.Name
	before, after map[string]bool // before and after have the rows that are in scope before the undo, and after it: see rowOf
}

// ErrNotTheirs is the error of an undo that a person may not make. It is the same for a run that does not exist, so it reveals no run of another person.
var ErrNotTheirs = &fail.Error{Kind: fail.Denied, Msg: "nothing of this run can be undone here: there is no such run, or you may not undo the change of one of its rows, as the row is or as it was; ask the operator to undo the run"}

// undoes returns an error if a facet that the object reaches has the right to undo, and its table or its database does not admit it.
func (o *Object) undoes() error {
	reach, err := o.Facet.Close()
	for _, f := range reach {
		if f.Rights.Undo == 0 {
			continue
		}
		why := f.NotUndoable()
		if why == "" && o.DB != nil && o.DB.Units.Undo <= 0 {
			why = "the database keeps nothing that could be undone: set OpenOptions.Undo"
		}
		if why != "" {
			return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "the facet %s lets persons undo runs, but %s", f.Alias, why)
		}
	}
	return err
}

// NewUndoer makes an Undoer, or returns ErrNotTheirs if no facet lets the person undo the run. own reports whether the run is one of the person's own.
func (db *DB) NewUndoer(live *schema.Database, own bool, granted []exo.Object) (*Undoer, error) {
	u := &Undoer{db: db}
	var all []*decl.Facet
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
		all = append(all, reach...)
		for _, f := range reach {
			if f.Rights.Undo == decl.UndoAny || own && f.Rights.Undo == decl.UndoOwn {
				u.may = append(u.may, &undoable{Object: o, facet: f, table: nameOf(live, f.Table)})
			}
		}
	}
	for _, x := range u.may {
		for _, f := range all { // another facet of the table may have the labels or the approvals
			if why := f.NotUndoable(); why != "" && nameOf(live, f.Table) == x.table {
				return nil, fail.Errorf(fail.Invalid, "exosql: UndoFor", "the facet %s lets persons undo runs, but by the facet %s %s", x.facet.Alias, f.Alias, why)
			}
		}
	}
	if len(u.may) == 0 {
		return nil, ErrNotTheirs
	}
	return u, nil
}

// May returns ErrNotTheirs unless the person may undo each image of the undo. done means that the undo has changed the rows, which are now as in After.
// For a row that does not exist then, May asks only whether a facet has its table.
func (u *Undoer) May(ctx context.Context, w engine.Writer, live *schema.Database, images []engine.Image, done bool) error {
	for _, im := range images {
		if !slices.ContainsFunc(u.may, func(x *undoable) bool { return x.table == im.Table }) {
			return ErrNotTheirs
		}
	}
	for _, x := range u.may {
		in := map[string]bool{}
		if x.after = in; !done {
			x.before, x.after = in, nil
		}
		err := inScope(x.keys(live, images, done), func(keys []keyOf) (int, error) { return u.count(ctx, w, x, keys) }, in)
		if err != nil {
			return err
		}
	}
	for _, im := range images {
		there := im.Before != nil
		if done {
			there = im.After != nil
		}
		if there && !slices.ContainsFunc(u.may, func(x *undoable) bool { return x.in(done)[rowOf(im)] && x.table == im.Table }) {
			return ErrNotTheirs
		}
	}
	return nil
}

// inScope adds to in the rows of the keys that are in scope. count returns how many of its keys are: where only some are, smaller batches show which.
func inScope(keys []keyOf, count func([]keyOf) (int, error), in map[string]bool) error {
	for n := writing.CheckBatch; len(keys) > 0; {
		n = min(n, len(keys))
		found, err := count(keys[:n])
		switch {
		case err != nil:
			return err
		case found == n:
			for _, k := range keys[:n] {
				in[k.row] = true
			}
		case found > 0:
			n /= 2
			continue
		}
		keys, n = keys[n:], min(2*n, writing.CheckBatch)
	}
	return nil
}

// in returns the rows that are in scope before the undo, or after it.
func (x *undoable) in(done bool) map[string]bool {
	if done {
		return x.after
	}
	return x.before
}

// rowOf identifies the row of an image among those of its table.
func rowOf(im engine.Image) string {
	if im.Before != nil {
		return engine.Identity(im.Before, im.Key)
	}
	return engine.Identity(im.After, im.Key)
}

type keyOf struct {
	row string
	key []value.Value
}

// keys returns the keys of the images of the facet's table. It leaves out rows that do not exist, and rows that the facet's key can't identify: the
// key must have all columns of the table's primary key.
func (x *undoable) keys(live *schema.Database, images []engine.Image, done bool) (keys []keyOf) {
	declared := x.facet.Table.Keys
	for _, im := range images {
		row, key := im.Before, []value.Value(nil)
		if done {
			row = im.After
		}
		partial := len(im.Key) == 0 || slices.ContainsFunc(im.Key, func(i int) bool {
			return !slices.ContainsFunc(declared, func(c *decl.Column) bool { return c.Name == im.Columns[i] })
		})
		if row == nil || im.Table != x.table || partial {
			continue
		}
		for _, c := range declared {
			if at := slices.Index(im.Columns, c.Name); at >= 0 {
				if v := keyValue(live.Engine, c, row[at]); !v.IsZero() {
					key = append(key, v)
				}
			}
		}
		if len(key) == len(declared) {
			keys = append(keys, keyOf{rowOf(im), key})
		}
	}
	return keys
}

// keyValue returns a key as a value. It is zero unless the cell is an integer for an integer key, or a text for a text key. So no value counts as
// another that is only written alike: only the operator can undo rows with other keys.
func keyValue(e schema.Engine, c *decl.Column, cell engine.Cell) value.Value {
	switch {
	case cell.Null:
	case c.Kind == value.TypeInt:
		if n, err := strconv.ParseInt(cell.Text, 10, 64); err == nil {
			return value.Int(n)
		}
	case c.Kind != value.TypeText && c.Kind != value.TypeUUID:
	case e == schema.Postgres: // the cell is the type's own text, without quotes
		return value.Text(cell.Text)
	case strings.HasPrefix(cell.Text, "'"): // SQLite's other literals are numbers, blobs, and texts with a NUL
		return value.Text(known.Plain(cell))
	}
	return value.Value{}
}

// count returns how many rows in scope have one of the keys. No two of the keys are equal.
func (u *Undoer) count(ctx context.Context, w engine.Writer, x *undoable, keys []keyOf) (int, error) {
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

// Shown returns the part of an image that the person may see: the columns of those facets that have the row in scope both before and after the undo.
// others counts the changed columns that it leaves out.
func (u *Undoer) Shown(im engine.Image) (out engine.Image, others int) {
	out = engine.Image{Table: im.Table}
	row := rowOf(im)
	for i, name := range im.Columns {
		seen := slices.ContainsFunc(u.may, func(x *undoable) bool {
			return x.table == im.Table && (im.Before == nil || x.before[row]) && (im.After == nil || x.after[row]) &&
				slices.ContainsFunc(x.facet.Cols, func(c *decl.Column) bool { return c.Name == name })
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
