package unit

// This file runs the statements of a unit, one after the other.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Read runs one reading statement in the unit.
func (u *Unit) Read(ctx context.Context, p *plan.Plan, args []value.Value, by *engine.Settings, m *exo.Message, collect func(*exo.Message) *plan.Collector) (*plan.Collector, error) {
	out, _, err := u.do(ctx, step{p: p, args: args, by: by, collect: collect, sealed: seals(p, m)}, m)
	return out, err
}

// seals reports whether an answer has values that are sealed from the program. Without a message the answer is for the host, and only the plan
// decides.
func seals(p *plan.Plan, m *exo.Message) bool {
	return (m == nil || m.MaySeal()) && slices.ContainsFunc(p.Cells, func(c plan.Cell) bool { return c.Sealed > 0 })
}

// Change makes changes and returns the number of rows. out has the rows that the last change returned.
func (u *Unit) Change(ctx context.Context, changes []engine.Change, by *engine.Settings, m *exo.Message, collect func(*exo.Message) *plan.Collector) (out *plan.Collector, rows int64, err error) {
	return u.do(ctx, step{changes: changes, by: by, collect: collect, sealed: seals(changes[len(changes)-1].Plan, nil)}, m)
}

func (u *Unit) do(ctx context.Context, s step, m *exo.Message) (out *plan.Collector, rows int64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil && !u.idle.Stop() {
		u.idle = nil
	}
	if u.lost != nil {
		return nil, 0, u.lost
	}
	err = u.ordered(ctx, func() (err error) {
		out, s.rows, err = u.once(ctx, &s, m)
		return err
	})
	defer func() {
		if u.wrote && u.lost == nil { // other programs wait for rows that this one has written, even after an error
			u.idle = time.AfterFunc(u.of.Idle, u.tooLong)
		}
	}()
	if err != nil {
		if !u.w.Open() && u.lost == nil {
			u.lose(fmt.Errorf("exosql: the database ended the run's transaction: %w", err))
		}
		if v, ok := errors.AsType[*engine.Violation](err); ok && v.Unseen {
			u.unseen = true
		}
		if s.failed = u.programError(err); u.lost == nil {
			u.steps = append(u.steps, s)
		}
		return nil, 0, err
	}
	if s.answer, err = s.digest(out.Rows()); err != nil {
		return nil, 0, err
	}
	u.steps, u.wrote = append(u.steps, s), u.wrote || s.changes != nil
	return out, s.rows, nil
}

// tooLong ends a unit that has written and then received no statement for the time Units.Idle, since others may wait for its rows.
func (u *Unit) tooLong() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost == nil && u.w != nil {
		defer func() { // a panic in a timer's function would end the process
			if recover() != nil {
				u.abandon()
			}
		}()
		u.lose(fail.Errorf(fail.Limit, "", "the program sent nothing for longer than %v after its first change, so its changes are undone: calculate before the first change", u.of.Idle))
		_ = u.w.Rollback(context.WithoutCancel(u.ctx))
	}
}

// InHook returns the context for a hook that the host runs before a write of the unit.
func (u *Unit) InHook(ctx context.Context) context.Context {
	if u == nil || u.tx == nil {
		return ctx
	}
	return context.WithValue(ctx, inHook{}, u.tx)
}

// Wrote keeps descriptions of writes, for the hooks after the commit.
func (u *Unit) Wrote(writes ...decl.RowWrite) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.written = append(u.written, writes...)
}

// Capture makes the unit keep images of all rows that it changes (see engine.Imager). It fails with engine.ErrNoImages if the database reports no
// images.
func (u *Unit) Capture(ctx context.Context, rows, bytes int) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	w, ok := u.w.(engine.Imager)
	if !ok || u.tx != nil { // within a host's transaction, a database without the functions for images would end that transaction
		return engine.ErrNoImages
	}
	f := func(ctx context.Context) error { return w.Capture(ctx, rows, bytes) }
	if err := f(ctx); err != nil {
		return err
	}
	u.capture = f
	return nil
}

// Captured returns the images of changed rows. It is called when the unit is prepared.
func (u *Unit) Captured(ctx context.Context) ([]engine.Image, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if w, ok := u.w.(engine.Imager); ok && u.capture != nil && u.lost == nil {
		return w.Captured(ctx)
	}
	return nil, engine.ErrNoImages
}
