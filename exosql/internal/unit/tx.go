package unit

// This file has the transaction of the host: its runs and calls take turns.

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// Tx is a transaction of the host: see exosql.Tx.
type Tx struct {
	of   *Units
	turn chan struct{} // held by the run, or the call of a relation, that is in it

	owned bool // Transact made it, and ends it

	written []decl.RowWrite // for the hooks after the commit; guarded by turn

	mu     sync.Mutex
	w      engine.Writer // nil: the Tx has ended
	spoilt atomic.Bool   // see spoil
}

// Begin opens a Tx. RollBackAll rolls it back if it is still open.
func (us *Units) Begin(ctx context.Context) (*Tx, error) {
	t, err := us.newTx(ctx)
	if err != nil {
		return nil, err
	}
	us.txMu.Lock()
	defer us.txMu.Unlock()
	if us.txs == nil {
		us.txs = map[any]func(context.Context) error{}
	}
	us.txs[t] = t.Rollback
	return t, nil
}

// Context returns ctx for runs within the Tx: see exosql.Tx.
func (t *Tx) Context(ctx context.Context) context.Context {
	if t == nil || t.of == nil || t.owned { // no run may be in it: runs get the zero Tx, which refuses them
		return context.WithValue(ctx, txKey{}, &Tx{})
	}
	return context.WithValue(ctx, txKey{t.of}, t)
}

// txKey is the context key of the Tx that a run is in. Each DB has its own key.
type txKey struct{ of *Units }

// TxOf returns the Tx of the run with this context, or nil.
func (us *Units) TxOf(ctx context.Context) *Tx {
	if t, ok := ctx.Value(txKey{}).(*Tx); ok {
		return t
	}
	t, _ := ctx.Value(txKey{us}).(*Tx)
	return t
}

func (us *Units) newTx(ctx context.Context) (*Tx, error) {
	w, err := us.writer(ctx)
	if err != nil {
		return nil, err
	}
	if err := us.Writers.Use(w, func() error { return w.Begin(ctx) }); err != nil {
		us.Writers.Release(w)
		return nil, fail.Classify("", err)
	}
	return &Tx{of: us, turn: make(chan struct{}, 1), w: w}, nil
}

// Transact calls f with a new Tx, and again if another transaction was in its way: see exosql.DB.
func (us *Units) Transact(ctx context.Context, f func(*Tx) error) error {
	for tries := 1; ; tries++ {
		err := us.transact(ctx, f)
		if !errors.Is(err, errOvertaken) || tries == maxTries || ctx.Err() != nil {
			return err
		}
	}
}

func (us *Units) transact(ctx context.Context, f func(*Tx) error) (err error) {
	t, err := us.newTx(ctx)
	if err != nil {
		return Undone("exosql: Transact", err)
	}
	defer func() { // also if f panics, or Commit could not begin; it does nothing if the Tx has ended
		if failed := t.Rollback(ctx); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	t.owned = true
	if err := f(t); err != nil {
		return err
	}
	return t.commit(ctx)
}

// Commit keeps what the runs have changed: see exosql.Tx.
func (t *Tx) Commit(ctx context.Context) error {
	if t != nil && t.owned { // otherwise an error of the function after Commit could not undo it
		return Undone("exosql: Commit", fail.Errorf(fail.Invalid, "", "don't call it in Transact's function: Transact commits when that returns nil"))
	}
	return t.commit(ctx)
}

func (t *Tx) commit(ctx context.Context) error {
	var written []decl.RowWrite
	err := t.end(ctx, func(w engine.Writer) error {
		if err := w.Prepare(ctx); err != nil {
			return Undone("exosql: Commit", t.of.Broken(noReplay(err)))
		}
		err := w.Commit(ctx)
		switch {
		case err == nil:
			written = t.written
		case errors.Is(err, exo.ErrNothingDone) || errors.Is(err, engine.ErrSerial): // the database has answered that nothing was kept
			return Undone("exosql: Commit", t.of.Broken(noReplay(err)))
		}
		return err
	})
	if written != nil { // after the connection was given back: a hook may use the database
		t.of.SettleTyped(ctx, written)
	}
	return fail.Classify("exosql: Commit", err)
}

// Rollback undoes the changes of the runs, after the run in progress has ended. The end of ctx does not stop it, since
// a caller whose ctx was cancelled must still be able to roll back. It does nothing for a Tx that has ended already.
func (t *Tx) Rollback(ctx context.Context) error {
	if err := t.end(context.WithoutCancel(ctx), func(engine.Writer) error { return nil }); !errors.Is(err, ErrTxDone) {
		return err
	}
	return nil
}

// Of reports whether the Tx is of these units.
func (t *Tx) Of(us *Units) bool { return t.of == us }

// inHook is the context key of the Tx of the run that a hook is asked about.
type inHook struct{}

// enter waits for the turn in the transaction. A free turn is taken even if ctx has ended: a select
// over both chooses at random, and a Rollback that is not tried leaves the transaction open.
func (t *Tx) enter(ctx context.Context) error {
	if ctx.Value(inHook{}) == t { // it would wait for itself
		return fail.Errorf(fail.Invalid, "", "a hook can't use the transaction of the run that it is asked about: return an error, and what the run has changed is undone")
	}
	select {
	case t.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end waits for the run that is in the transaction.
func (t *Tx) end(ctx context.Context, how func(engine.Writer) error) error {
	if t == nil || t.of == nil {
		return ErrNoTx
	}
	if err := t.enter(ctx); err != nil {
		return Undone("exosql: Commit", err)
	}
	defer func() { <-t.turn }()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w == nil {
		return &fail.Error{Kind: fail.Invalid, Op: "exosql: Commit", Err: ErrTxDone}
	}
	w := t.w
	defer func() { // also if a driver panics
		t.w = nil
		t.of.txMu.Lock()
		delete(t.of.txs, t)
		t.of.txMu.Unlock()
	}()
	err := t.of.Writers.Use(w, func() error {
		if t.spoilt.Load() {
			return errors.Join(exo.ErrNothingDone, errSpoilt, w.Rollback(context.WithoutCancel(ctx)))
		}
		err := how(w)
		return errors.Join(err, w.Rollback(context.WithoutCancel(ctx)))
	})
	if t.spoilt.Load() {
		t.of.Writers.Discard(w)
		return err
	}
	t.of.Writers.Release(w)
	return err
}

// spoil ends a run's part after its driver panicked: nothing of the transaction can be kept any more.
func (t *Tx) spoil(engine.Writer) {
	t.spoilt.Store(true)
	<-t.turn
}

var (
	errSpoilt = errors.New("exosql: the driver panicked in this transaction, so its state is unknown: roll it back")
	errCut    = errors.New("exosql: a statement was cut off, so the database has ended this transaction: roll it back")
)

// ErrNoTx is the error of a Tx that Begin did not make.
var ErrNoTx = &fail.Error{Kind: fail.Invalid, Err: errors.New("exosql: this Tx was not begun: DB.Begin makes one")}

// part waits for a run's turn in the transaction.
func (t *Tx) part(ctx context.Context) (engine.Writer, func(engine.Writer), error) {
	if t.of == nil {
		return nil, nil, ErrNoTx
	}
	if err := t.enter(ctx); err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	switch {
	case t.w == nil:
		err = &fail.Error{Kind: fail.Invalid, Msg: "the host's transaction, in which this program was to run, has ended", Err: ErrTxDone}
	case t.spoilt.Load():
		err = &fail.Error{Kind: fail.Internal, Err: errSpoilt}
	case !t.w.Open():
		err = &fail.Error{Kind: fail.Internal, Err: errCut}
	}
	if err != nil {
		<-t.turn
		return nil, nil, err
	}
	return &part{Writer: t.w}, func(engine.Writer) { <-t.turn }, nil
}

// ErrTxDone is the error of a Tx that has ended.
var ErrTxDone = errors.New("exosql: this Tx has ended already, by Commit, Rollback or Close of its DB")
