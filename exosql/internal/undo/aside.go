package undo

// This file moves rows out of each other's way. A run that swapped unique values can't be undone row by row, since each row's old value belongs to
// the other row.

import (
	"context"
	"crypto/rand"
	"math/big"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/schema"
)

// moveAside changes rows that need taken unique values so that they use none, and reports whether it has changed any. Later they are written again, and
// at the end only the exact reversal is kept.
func (r *reversal) moveAside(ctx context.Context, steps []engine.Image) (moved bool, err error) {
	for _, s := range steps {
		if !r.taken[name(s)] || s.Before == nil || s.After == nil {
			continue
		}
		why := r.why[name(s)]
		for _, to := range r.asides(s) {
			done, err := r.write(ctx, to)
			if err != nil {
				return moved, err
			}
			if moved = moved || done; done {
				break
			}
		}
		r.why[name(s)] = why
	}
	clear(r.taken)
	return moved, nil
}

// asides returns the states in which a row may wait: with NULL in the columns that change, with unused values there, or deleted. A rule of the table
// may refuse each of these, and rows that refer to the row may prevent its deletion.
func (r *reversal) asides(s engine.Image) []engine.Image {
	null, other, gone := s, s, s
	null.After, other.After, gone.After = slices.Clone(s.Before), slices.Clone(s.Before), nil
	for i, c := range s.Columns {
		if s.Before[i] == s.After[i] || slices.Contains(s.Key, i) {
			continue
		}
		null.After[i] = engine.Cell{Null: true}
		if to, ok := r.unused(s.Table, c); ok {
			other.After[i] = to
		}
	}
	return slices.DeleteFunc([]engine.Image{null, other, gone}, func(to engine.Image) bool { return slices.Equal(to.After, s.Before) })
}

// unused returns a random value for a column, which no other row has. It returns false for a column that has neither whole numbers nor texts.
func (r *reversal) unused(table schema.Name, column string) (engine.Cell, bool) {
	t := r.live.Table(table)
	i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == column })
	switch {
	case i < 0:
	case t.Columns[i].Kind == schema.Int:
		n, err := rand.Int(rand.Reader, big.NewInt(1<<31))
		return engine.Cell{Text: "-" + n.String()}, err == nil
	case t.Columns[i].Kind == schema.Text:
		return engine.Cell{Text: r.pick("'", "") + strings.ToLower(rand.Text()) + r.pick("'", "")}, true
	}
	return engine.Cell{}, false
}
