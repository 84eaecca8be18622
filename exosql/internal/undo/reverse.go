package undo

// This file reverses the changes of a run: exactly, or not at all.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/engine/sqlite"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Refusal is a row that prevents the undo of a run.
type Refusal struct {
	Row engine.Image // Row is the row as the undo would change it; if Before and After are nil, Why is not about a row of the run
	Why string
}

// rounds bounds how often the undo writes rows again, after a rule refused them or a trigger or a cascade changed them.
const rounds = 12

// Most and MostBytes bound the images of an undo. They exceed the limits of a run's changes.
const Most, MostBytes = 1_000_000, 1 << 30

// May returns an error unless a person may undo the images. done means that the undo has changed the rows, so that they are now as in After.
type May func(ctx context.Context, w engine.Writer, live *schema.Database, images []engine.Image, done bool) error

// Reverse undoes what a run changed, in a unit w that has written nothing yet: each row gets its content from before the run. It returns these changes
// as back. If refused is not empty, the undo can't be kept, and the caller rolls back. Reverse also restores rows that triggers and cascades of its own
// writes change. Unless the function may is nil, Reverse asks it before its first write and after its last.
func Reverse(ctx context.Context, w engine.Writer, live *schema.Database, run string, may May) (back []engine.Image, refused []Refusal, err error) {
	images, err := w.KeptImages(ctx, run)
	if err == nil {
		err = w.Capture(ctx, Most, MostBytes)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, im := range images {
		im.Before, im.After, im.Filled = im.After, im.Before, nil
		back = append(back, im)
	}
	if may != nil {
		if err := may(ctx, w, live, back, false); err != nil {
			return nil, nil, err
		}
	}
	r := &reversal{w: w, live: live}
	for _, im := range back {
		if why := r.unlike(im); why != "" {
			refused = append(refused, Refusal{im, why})
		}
	}
	if len(refused) > 0 {
		return back, refused, nil
	}
	var was []engine.Image
	for n := 0; ; n++ {
		now, err := w.Captured(ctx)
		if err != nil {
			return nil, nil, err
		}
		steps, changed := missing(back, now)
		if len(steps) == 0 && len(changed) == 0 && !r.prepared { // deferred rules act now, and then everything is compared again
			if r.prepared, err = true, w.Prepare(ctx); err != nil {
				return back, []Refusal{{Why: "the database refuses: " + schema.Printable(err.Error())}}, nil
			}
			continue
		}
		stuck := n > 0 && same(was, now)
		moved := false
		if (stuck || n > 1) && len(changed) == 0 {
			if moved, err = r.moveAside(ctx, steps); err != nil {
				return nil, nil, err
			}
		}
		if len(changed) > 0 || len(steps) == 0 || n >= rounds || stuck && !moved {
			refused = append(changed, r.left(steps)...)
			if may != nil && len(refused) == 0 {
				err = may(ctx, w, live, back, true)
			}
			return back, refused, err
		}
		if was = now; moved {
			continue
		}
		if n%2 == 1 { // rows that were shifted by one must go back in the other order
			slices.Reverse(steps)
		}
		r.why, r.taken = map[string]string{}, map[string]bool{}
		for _, s := range steps {
			if _, err := r.write(ctx, s); err != nil {
				return nil, nil, err
			}
		}
	}
}

type reversal struct {
	w        engine.Writer
	live     *schema.Database
	prepared bool              // prepared: the deferred rules of the database were checked
	why      map[string]string // why has the database's reason to refuse a row, by the row's name
	taken    map[string]bool   // taken: another row has a unique value of this row
}

// name identifies a row by its key, or by all its cells.
func name(im engine.Image) string {
	var key []int
	if keyed(im) {
		key = im.Key
	}
	return im.Table.Schema + "\x00" + im.Table.Name + "\x00" + engine.Identity(either(im), key)
}

func either(im engine.Image) []engine.Cell {
	if im.Before != nil {
		return im.Before
	}
	return im.After
}

// keyed reports whether a row is identified by a key without NULL.
func keyed(im engine.Image) bool {
	row := either(im)
	return im.Key != nil && !slices.ContainsFunc(im.Key, func(i int) bool { return row[i].Null })
}

// missing compares the changes so far with the wanted ones. It returns the changes that are left to make, and those rows of the run that something else
// has changed since.
func missing(want, have []engine.Image) (steps []engine.Image, changed []Refusal) {
	at := map[string]engine.Image{}
	loose := map[string]int{} // loose counts the rows without a key that should not exist
	for _, im := range have {
		if keyed(im) {
			at[name(im)] = im
		} else {
			loose[name(im)] += signOf(im)
		}
	}
	for _, im := range want {
		key := name(im)
		if !keyed(im) {
			if sign := signOf(im); loose[key]*sign > 0 {
				loose[key] -= sign
			} else {
				steps = append(steps, im)
			}
			continue
		}
		now, touched := at[key]
		delete(at, key)
		switch {
		case !touched:
			steps = append(steps, im)
		case !slices.Equal(now.Before, im.Before) || (now.Before == nil) != (im.Before == nil):
			changed = append(changed, Refusal{im, "the row was changed since"})
		case !slices.Equal(now.After, im.After) || (now.After == nil) != (im.After == nil):
			im.Before = now.After
			steps = append(steps, im)
		}
	}
	for _, im := range have { // have includes the rows that triggers and cascades have changed
		key := name(im)
		_, more := at[key]
		if sign := signOf(im); !keyed(im) && loose[key]*sign > 0 {
			loose[key] -= sign
			more = true
		}
		if more {
			im.Before, im.After = im.After, im.Before
			steps = append(steps, im)
		}
	}
	return steps, changed
}

func signOf(im engine.Image) int {
	if im.Before == nil {
		return 1
	}
	return -1
}

func same(a, b []engine.Image) bool {
	return slices.EqualFunc(a, b, func(x, y engine.Image) bool {
		return name(x) == name(y) && slices.Equal(x.Before, y.Before) && slices.Equal(x.After, y.After)
	})
}

// left lists the rows that could not be changed back.
func (r *reversal) left(steps []engine.Image) (out []Refusal) {
	for _, s := range steps {
		why := r.why[name(s)]
		why = cmp.Or(why, "the row is missing, or not as the run left it")
		out = append(out, Refusal{s, why})
	}
	return out
}

// unlike returns why the rows of an image can't be rows of the table as it is today, or "" if they can.
func (r *reversal) unlike(im engine.Image) string {
	t := r.live.Table(im.Table)
	if t == nil {
		return "the table is gone"
	}
	var own []string
	for _, c := range t.Columns {
		if c.Generated == schema.NotGenerated {
			own = append(own, c.Name)
		}
	}
	if !slices.Equal(own, im.Columns) {
		return "the table has other columns now"
	}
	return ""
}

// write changes one row, and reports whether it did. If the row breaks a rule of the database, that is noted: the rule may hold after other rows were
// changed.
func (r *reversal) write(ctx context.Context, im engine.Image) (done bool, err error) {
	w := &plan.Write{Table: im.Table.Name, In: im.Table.Schema}
	if w.In != "" {
		w.Table = w.In + "." + w.Table
	}
	text := ""
	switch {
	case im.Before == nil:
		w.Insert, w.Given = true, im.Columns
		var names, cells []string
		for i, c := range im.Columns {
			names, cells = append(names, sqlname.Quote(c)), append(cells, r.literal(im.After[i]))
		}
		text = fmt.Sprintf("INSERT INTO %s (%s)%s VALUES (%s)", w.Path(), strings.Join(names, ", "), r.pick("", " OVERRIDING SYSTEM VALUE"), strings.Join(cells, ", "))
	case im.After == nil:
		w.Delete = true
		text = "DELETE FROM " + w.Path() + r.where(w, im)
	default:
		var sets []string
		for i, c := range im.Columns {
			if im.Before[i] != im.After[i] {
				w.Update = append(w.Update, c)
				sets = append(sets, sqlname.Quote(c)+" = "+r.literal(im.After[i]))
			}
		}
		text = "UPDATE " + w.Path() + " SET " + strings.Join(sets, ", ") + r.where(w, im)
	}
	reads := map[string]map[string]bool{}
	for _, t := range r.live.Tables {
		columns := map[string]bool{"rowid": true}
		for _, c := range t.Columns {
			columns[sqlast.Fold(c.Name)] = true
		}
		reads[sqlast.Fold(t.Name.Name)] = columns
		for _, tr := range t.Triggers {
			w.Triggers = append(w.Triggers, tr.Name)
		}
		for _, k := range t.ForeignKeys {
			w.Cascades = append(w.Cascades, plan.Cascade{Table: t.Name.Name, Columns: strings.Join(k.Columns, ", ")})
		}
	}
	p := &plan.Plan{Text: text, Write: w, Reads: reads, Shape: &value.Shape{}}
	n, err := r.w.Write(ctx, []engine.Change{{Plan: p, Args: [][]value.Value{{}}}}, plan.NewCollector(p, nil))
	if err == nil {
		return n > 0, nil
	}
	if !r.w.Open() || errors.Is(err, engine.ErrSerial) {
		return false, err
	}
	v, broken := errors.AsType[*engine.Violation](err)
	r.why[name(im)], r.taken[name(im)] = "the database refuses: "+schema.Printable(err.Error()), broken && v.Rule == engine.Unique
	return false, nil
}

func (r *reversal) pick(sqlite, postgres string) string {
	if r.live.Engine == schema.Postgres {
		return postgres
	}
	return sqlite
}

// literal writes a cell as SQL. PostgreSQL reads a quoted text as a value of the column's type.
func (r *reversal) literal(c engine.Cell) string {
	switch {
	case c.Null:
		return "NULL"
	case r.live.Engine == schema.Postgres:
		return "'" + strings.ReplaceAll(c.Text, "'", "''") + "'"
	}
	return c.Text
}

// where returns the condition that finds one row: by its key or, without one, by the values of all columns.
func (r *reversal) where(w *plan.Write, im engine.Image) string {
	var conditions []string
	if keyed(im) {
		for _, i := range im.Key {
			conditions = append(conditions, sqlname.Quote(im.Columns[i])+" = "+r.literal(im.Before[i]))
		}
		return " WHERE " + strings.Join(conditions, " AND ")
	}
	for i, c := range im.Columns {
		column := sqlname.Quote(c)
		if r.live.Engine == schema.Postgres && !im.Before[i].Null {
			column = "pg_catalog.format('%s', " + column + ")" // format writes the type's own text, even for types without an equality
		}
		conditions = append(conditions, column+" IS "+r.pick("", "NOT DISTINCT FROM ")+r.literal(im.Before[i])+r.collate(im.Before[i]))
	}
	id := r.pick("rowid", "(tableoid, ctid)")
	for _, other := range []string{"_rowid_", "oid"} { // a column may be named rowid
		if r.live.Engine == schema.SQLite && slices.ContainsFunc(im.Columns, func(c string) bool { return strings.EqualFold(c, id) }) {
			id = other
		}
	}
	return " WHERE " + id + " = (SELECT " + strings.Trim(id, "()") + " FROM " + w.Path() + " WHERE " + strings.Join(conditions, " AND ") + " LIMIT 1)"
}

// collate returns SQL that makes SQLite compare a text exactly. It is "" for other values, and for PostgreSQL.
func (r *reversal) collate(c engine.Cell) string {
	if v, err := sqlite.Literal(c); r.live.Engine == schema.Postgres || err != nil || v == nil {
		return ""
	} else if _, text := v.(string); !text {
		return ""
	}
	return " COLLATE BINARY"
}
