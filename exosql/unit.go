package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// unit is the unit of work of one run: one transaction, in which everything is read and
// written. Where the database can't put it in an order with others that ran at the same time, all of
// it is asked again in a new one; if an answer then differs, the program has acted on what is not
// true any more, and the run ends with Kind Conflict.
type unit struct {
	db  *DB
	ctx context.Context // of the run

	mu      sync.Mutex
	w       engine.Writer
	steps   []step // that were answered, in order
	wrote   bool
	broken  bool    // the engine has panicked: its connection is not used any more
	unseen  bool    // a program was told what may not be so in the state that it reads: see engine.Violation
	lost    error   // why nothing of it may be kept
	images  *images // nil: nobody asked for them
	mark    string  // of the run, once it is left: see witness
	release func(engine.Writer)
	discard func(engine.Writer) // in the place of release, after a panic in the engine
	idle    *time.Timer

	tx       *Tx             // that it is a part of, or nil
	changed  []*changing     // the messages and calls that have changed something, in order
	written  []decl.RowWrite // what hooks after the commit will be told
	settling []decl.RowWrite // what they are told now that it is committed
}

// step is one statement that reads, or changes that were made together, and the answer.
type step struct {
	p       *plan.Plan
	args    []value.Value
	changes []engine.Change
	by      *engine.Settings
	rows    int64 // that were changed
	answer  value.Digest
	failed  string // what a program was told in the place of an answer: it may go by that, too
	sealed  bool   // the answer has values that its program may not read

	collect func(*exo.Message) *plan.Collector
}

// maxTries is how often a unit is run in all.
const maxTries = 4

// beginUnit opens the unit of work of a run. It gets a connection of its own until the run ends.
func (db *DB) beginUnit(ctx context.Context) (exo.Unit, error) {
	u, err := db.newUnit(ctx, db.txOf(ctx))
	if err != nil {
		return nil, err
	}
	if db.images > 0 {
		u.images = &images{limit: db.images}
	}
	if db.witness {
		return witness{u}, nil
	}
	return u, nil
}

// newUnit begins a unit of work, in a Tx if there is one.
func (db *DB) newUnit(ctx context.Context, tx *Tx) (*unit, error) {
	u := &unit{db: db, ctx: ctx, release: db.writers.Release, discard: db.writers.Discard, tx: tx}
	var err error
	if tx != nil {
		u.w, u.release, err = tx.part(ctx)
		u.discard = tx.spoil
	} else {
		u.w, err = db.writer(ctx)
	}
	if err != nil {
		return nil, err
	}
	begun := false
	defer func() {
		if !begun {
			u.discard(u.w)
		}
	}()
	err = u.w.Begin(ctx)
	if begun = true; err != nil {
		u.release(u.w)
		return nil, fail.Classify("", err)
	}
	return u, nil
}

// writer waits for a connection for writing.
func (db *DB) writer(ctx context.Context) (engine.Writer, error) {
	w, err := db.writers.Acquire(ctx)
	if errors.Is(err, engine.ErrSerial) {
		return nil, &fail.Error{Kind: fail.Conflict, Msg: "others had the whole database for all the time that a program waits; run it again", Err: err}
	}
	return w, err
}

// read answers one statement of the unit.
func (u *unit) read(ctx context.Context, p *plan.Plan, args []value.Value, by *engine.Settings, m *exo.Message, collect func(*exo.Message) *plan.Collector) (*plan.Collector, error) {
	out, _, err := u.do(ctx, step{p: p, args: args, by: by, collect: collect, sealed: seals(p, m)}, m)
	return out, err
}

// seals reports whether a program is shown values of an answer sealed. What no message asks for is read for the host, by a plan that says it.
func seals(p *plan.Plan, m *exo.Message) bool {
	return (m == nil || m.Seals()) && slices.ContainsFunc(p.Cells, func(c plan.Cell) bool { return c.Sealed > 0 })
}

// change makes changes, and gives the number of rows; out has what the last one returned.
func (u *unit) change(ctx context.Context, changes []engine.Change, by *engine.Settings, m *exo.Message) (out *plan.Collector, rows int64, err error) {
	last := changes[len(changes)-1].Plan
	return u.do(ctx, step{changes: changes, by: by, collect: func(m *exo.Message) *plan.Collector { return plan.NewCollector(last, m) }}, m)
}

func (u *unit) do(ctx context.Context, s step, m *exo.Message) (out *plan.Collector, rows int64, err error) {
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
		if u.wrote && u.lost == nil { // other programs wait for what this one has written, also after an error
			u.idle = time.AfterFunc(u.db.idle, u.tooLong)
		}
	}()
	if err != nil {
		if !u.w.Open() && u.lost == nil {
			u.lose(fmt.Errorf("exosql: the transaction is over: %w", err))
		}
		if v, ok := errors.AsType[*engine.Violation](err); ok && v.Unseen {
			u.unseen = true
		}
		if s.failed = u.told(err); u.lost == nil {
			u.steps = append(u.steps, s)
		}
		return nil, 0, err
	}
	if s.answer, err = value.RowsValue(out.Rows()).Digest(); err != nil {
		return nil, 0, err
	}
	u.steps, u.wrote = append(u.steps, s), u.wrote || s.changes != nil
	return out, s.rows, nil
}

// told is what a program may know of an error.
func (u *unit) told(err error) string {
	if v, ok := errors.AsType[*engine.Violation](err); ok {
		return fmt.Sprint("violation ", v.Rule, v.Table, v.Columns, v.Constraint, v.At)
	}
	return fail.KindOf(err).String() + ": " + fail.GuestText(err)
}

// tooLong ends a unit that has written and that nobody has asked anything for long.
func (u *unit) tooLong() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost == nil && u.w != nil {
		defer func() { // a panic of a timer's would end the process
			if recover() != nil {
				u.abandon()
			}
		}()
		u.lose(fail.Errorf(fail.Limit, "", "the program has held what it has changed for longer than %v without asking for anything more", u.db.idle))
		_ = u.w.Rollback(context.Background())
	}
}

func (u *unit) lose(err error) { u.lost = err }

// over reports whether nothing of the unit can be kept any more.
func (u *unit) over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lost != nil
}

// once runs a statement.
func (u *unit) once(ctx context.Context, s *step, m *exo.Message) (*plan.Collector, int64, error) {
	out := s.collect(m)
	var n int64
	var err error
	u.w.With(s.by)
	if s.changes != nil {
		n, err = u.w.Write(ctx, s.changes, out)
	} else {
		err = u.w.Query(ctx, s.p, s.args, out)
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		return nil, 0, err
	}
	return out, n, nil
}

// ordered calls f, and where the unit can't be put in an order runs all that came before again, and f.
func (u *unit) ordered(ctx context.Context, f func() error) error {
	returned := false
	defer func() { u.broken = u.broken || !returned }()
	err := u.inOrder(ctx, f)
	returned = true
	return err
}

func (u *unit) inOrder(ctx context.Context, f func() error) error {
	err := f()
	for tries := 1; errors.Is(err, engine.ErrSerial); tries++ {
		if tries == maxTries {
			err = conflict(err)
			u.lose(err)
			return err
		}
		if again := u.replay(ctx); again != nil {
			if errors.Is(again, engine.ErrSerial) {
				err = again
				continue
			}
			u.lose(again)
			return again
		}
		err = f()
	}
	return err
}

func conflict(err error) error {
	return &fail.Error{Kind: fail.Conflict, Msg: "other programs changed what this one has read while it ran; run it again", Err: err}
}

// replay begins anew, and asks again all that was answered. Where values were shown sealed, whether they are the same is not to be told:
// a program could change one while another runs, to what it guesses, and see by the conflict whether it was that before.
func (u *unit) replay(ctx context.Context) error {
	if slices.ContainsFunc(u.steps, func(s step) bool { return s.sealed }) {
		return conflict(errors.New("exosql: values were read that the program may not, so they are not compared"))
	}
	if err := u.w.Rollback(ctx); err != nil {
		return err
	}
	if err := u.w.Begin(ctx); err != nil {
		return err
	}
	for _, s := range u.steps {
		out, n, err := u.once(ctx, &s, nil)
		if errors.Is(err, engine.ErrSerial) {
			return err
		}
		if s.failed != "" { // a program that has caught "is taken" must not be kept where it is not any more
			if err == nil || u.told(err) != s.failed {
				return conflict(errors.New("exosql: what failed the first time ends otherwise"))
			}
			continue
		}
		if err != nil {
			return conflict(err)
		}
		if d, err := value.RowsValue(out.Rows()).Digest(); err != nil || d != s.answer || n != s.rows {
			return conflict(errors.New("exosql: an answer differs from the first"))
		}
	}
	return u.leave(ctx, u.mark)
}

// Prepare implements exo.Unit.
func (u *unit) Prepare(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	if u.lost != nil {
		return u.lost
	}
	if !u.wrote && !u.unseen {
		return nil
	}
	return u.lateError(u.ordered(ctx, func() error {
		if u.unseen && u.tx == nil { // a Tx has one state
			u.unseen = false
			return fmt.Errorf("%w: a row that the unit does not see was in the way of what it has written", engine.ErrSerial)
		}
		return u.w.Prepare(ctx)
	}))
}

// Part implements exo.Part: within a Tx the host decides.
func (u *unit) Part() bool { return u.tx != nil }

// Commit implements exo.Unit.
func (u *unit) Commit(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, u.lost)
	}
	defer u.abandon() // where a driver panics, its transaction may be open, and others would wait for it
	err := u.lateError(u.ordered(ctx, func() error { return u.w.Commit(ctx) }))
	given := u.lost != nil // up, before a commit was sent: of any other error nobody knows what was kept
	if err == nil && u.tx != nil {
		u.tx.written = append(u.tx.written, u.written...) // by its turn
	} else if err == nil {
		u.settling = u.written
	}
	u.end(ctx)
	if err != nil && given {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
	}
	return err
}

// Rollback implements exo.Unit.
func (u *unit) Rollback(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	err := u.end(ctx)
	return err
}

// end gives the connection back.
func (u *unit) end(ctx context.Context) error {
	if u.w == nil {
		return nil
	}
	defer u.abandon()
	if u.broken {
		return nil // a connection that is closed has nothing open
	}
	err := u.w.Rollback(ctx)
	w := u.w
	u.w = nil
	u.forget()
	u.release(w)
	return err
}

// abandon closes the connection, if it was not given back.
func (u *unit) abandon() {
	if w := u.w; w != nil {
		u.w = nil
		u.forget()
		u.discard(w)
	}
}

func (u *unit) forget() {
	if u.steps = nil; u.lost == nil {
		u.lost = errUnitOver
	}
}

var errUnitOver = errors.New("exosql: the unit of work is over")
