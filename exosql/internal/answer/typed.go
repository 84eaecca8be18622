package answer

// This file answers a chain of typed calls that writes.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// Write answers a chain of typed calls that writes.
func (db *DB) Write(ctx context.Context, tx *unit.Tx, r *decl.Relation, method string, given writing.Given) (_ value.Value, err error) {
	begun := false
	defer func() {
		if err != nil && !begun {
			err = unit.Undone("", err)
		}
	}()
	ss, err := db.scopesOf(r)
	if err != nil {
		return value.Value{}, err
	}
	if len(given.Rows) == 0 && method == language.Delete {
		given = writing.GivenRows(value.Value{})
	}
	t := writing.NewTypedWrite(r, ss, method)
	if given, err = beforeTyped(ctx, t, given); err != nil {
		return value.Value{}, err
	}
	t.Give(given.Sets)
	w, ok := db.writes.Get(t.Key)
	if !ok {
		made, err := t.Compile(db.Engine(ctx))
		if err != nil {
			return value.Value{}, err
		}
		w = db.writes.Add(t.Key, &keptWrite{Writing: made})
	}
	if err := db.typedWritable(ctx, w.Writing, given.Sets); err != nil {
		return value.Value{}, err
	}
	by, err := db.settings(rowsec.Settings(t.Grant(), t.Vals))
	if err != nil {
		return value.Value{}, err
	}
	a := &asked{m: t.M, vals: [][]value.Value{t.Vals}, by: by, given: given}
	var v value.Value
	begun = true
	err = db.Units.In(ctx, tx, func(u *unit.Unit) (err error) {
		a.unit = u
		x := db.newChanging(ctx, a, db.working(u), w.Writing)
		if v, err = x.run.Do(); err == nil {
			x.wrote(decl.RowWrite{Run: exo.Run{Clock: time.Now()}}, v)
		}
		if x.run.New != nil {
			v = value.RowsValue(x.run.New)
		}
		return err
	})
	return v, err
}
