package unit

// This file has the transaction of the host, in which runs and calls take turns.

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
	turn chan struct{} // turn is taken by the run, or the call of a relation, that is in the transaction

	owned bool // owned: Transact made the Tx, and ends it

	written []decl.RowWrite // written has the writes for the hooks after the commit; only the holder of turn uses it

	mu     sync.Mutex
	w      engine.Writer // w is nil when the Tx has ended
	spoilt atomic.Bool   // spoilt: the transaction can't be kept any more (see spoil)
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

// Context returns ctx for runs that are part of the Tx: see exosql.Tx.
func (t *Tx) Context(ctx context.Context) context.Context {
	if t == nil || t.of == nil || t.owned { // no run may use the Tx of a Transact: runs get the zero Tx, which refuses them
		return context.WithValue(ctx, txKey{}, &Tx{})
	}
	return context.WithValue(ctx, txKey{t.of}, t)
}

// txKey is the context key of the Tx that a run is part of. Each DB has its own key.
type txKey struct{ of *Units }

// TxOf returns the Tx that a run with this context is part of, or nil.
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

// Transact calls f with a new Tx, and again if another transaction prevented the commit: see exosql.DB.
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
	defer func() { // the deferred call also runs if f panics or Commit could not begin; it does nothing if the Tx has ended
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

// Commit keeps the changes of the runs: see exosql.Tx.
func (t *Tx) Commit(ctx context.Context) error {
	if t != nil && t.owned { // otherwise an error that the function returns after Commit could undo nothing
		return Undone("exosql: Commit", fail.Errorf(fail.Invalid, "", "the function of Transact can't call Commit: leave the call out, since Transact commits when its function returns nil"))
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
		case errors.Is(err, exo.ErrNothingDone) || errors.Is(err, engine.ErrSerial): // the database has confirmed that nothing was kept
			return Undone("exosql: Commit", t.of.Broken(noReplay(err)))
		}
		return err
	})
	if written != nil { // hooks run after the connection was returned, so they may use the database
		t.of.SettleTyped(ctx, written)
	}
	return fail.Classify("exosql: Commit", err)
}

// Rollback undoes the changes of the runs, once the current run has ended. It goes on when ctx ends, since a caller
// with a cancelled ctx must still be able to roll back. For a Tx that has ended, it does nothing.
func (t *Tx) Rollback(ctx context.Context) error {
	if err := t.end(context.WithoutCancel(ctx), func(engine.Writer) error { return nil }); !errors.Is(err, ErrTxDone) {
		return err
	}
	return nil
}

// Of reports whether the Tx belongs to these units.
func (t *Tx) Of(us *Units) bool { return t.of == us }

// inHook is the context key of the Tx with the run that a hook is called for.
type inHook struct{}

// enter waits for the turn in the transaction. A free turn is taken even if ctx has ended: a select
// over both would choose at random, and a Rollback that does not run leaves the transaction open.
func (t *Tx) enter(ctx context.Context) error {
	if ctx.Value(inHook{}) == t { // the hook would wait for its own run
		return fail.Errorf(fail.Invalid, "", "a hook can't use the transaction of the run that it is called for: to undo the run's changes, return an error")
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

// end waits for the current run, and then ends the transaction by how.
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
	defer func() { // this also runs if a driver panics
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

// spoil ends the turn of a run whose driver has panicked. The transaction can't be kept any more.
func (t *Tx) spoil(engine.Writer) {
	t.spoilt.Store(true)
	<-t.turn
}

var (
	errSpoilt = fail.Named("exosql: the database's driver panicked, so the state of the transaction is unknown: roll it back")
	errCut    = fail.Named("exosql: a statement was cut off, so the database has ended the transaction: roll the transaction back")
)

// ErrNoTx is the error of a Tx that Begin did not make.
var ErrNoTx = &fail.Error{Kind: fail.Invalid, Err: errors.New("exosql: the Tx was not begun: make one with DB.Begin")}

// part waits for a run's turn, and then begins its part of the transaction.
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
		err = &fail.Error{Kind: fail.Invalid, Msg: "the host's transaction, in which this program was to run, has ended: only the host can begin another", Err: ErrTxDone}
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
var ErrTxDone = fail.Named("exosql: the Tx has ended already, by Commit, Rollback or Close of its DB: begin another one")
