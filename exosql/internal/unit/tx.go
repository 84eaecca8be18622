package unit

// This file has the transaction of the host: the runs and calls that are in it take turns.

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
	turn chan struct{} // of the run, or the call of a relation, that is in it

	owned bool // by Transact, which ends it

	written []decl.RowWrite // what hooks after the commit will get; by its turn

	mu     sync.Mutex
	w      engine.Writer // nil: it has ended
	spoilt atomic.Bool   // see spoil
}

// Begin opens a Tx, which RollBackAll rolls back.
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

// Context is ctx for runs that are in the Tx: see exosql.Tx.
func (t *Tx) Context(ctx context.Context) context.Context {
	if t == nil || t.of == nil || t.owned { // runs with it are refused
		return context.WithValue(ctx, txKey{}, &Tx{})
	}
	return context.WithValue(ctx, txKey{t.of}, t)
}

// txKey is the key by which the context of a run has the Tx that it is in, of each DB.
type txKey struct{ of *Units }

// TxOf is the Tx that the run of a context is in, or nil.
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

// Transact calls f with a new Tx, again where another transaction was in its way: see exosql.DB.
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
	defer func() { // also where f panics, and where Commit could not begin; of a Tx that has ended it does nothing
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
	if t != nil && t.owned { // else what was kept could not be undone any more by an error of the function
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
		case errors.Is(err, exo.ErrNothingDone) || errors.Is(err, engine.ErrSerial): // the database has said so
			return Undone("exosql: Commit", t.of.Broken(noReplay(err)))
		}
		return err
	})
	if written != nil { // the connection is given back: a hook may use the database
		t.of.SettleTyped(ctx, written)
	}
	return fail.Classify("exosql: Commit", err)
}

// Rollback undoes what the runs have changed, once the run that is in the transaction has ended: ctx does not end it, since
// its caller may have been cancelled just then. It does nothing for a Tx that has ended already.
func (t *Tx) Rollback(ctx context.Context) error {
	if err := t.end(context.WithoutCancel(ctx), func(engine.Writer) error { return nil }); !errors.Is(err, ErrTxDone) {
		return err
	}
	return nil
}

// Of reports whether the Tx is of these units.
func (t *Tx) Of(us *Units) bool { return t.of == us }

// inHook is the key by which the context of a hook has the Tx of the run that it is asked about.
type inHook struct{}

// enter waits for the turn in the transaction. It has it where it is free, whether ctx has ended or not: a select of both
// takes either, and a Rollback that was not tried leaves the transaction open.
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
	defer func() { // also where a driver panics
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

// spoil ends a run's part of the transaction by which a driver has panicked: nothing of the transaction can be kept any more.
func (t *Tx) spoil(engine.Writer) {
	t.spoilt.Store(true)
	<-t.turn
}

var (
	errSpoilt = errors.New("exosql: the driver panicked in this transaction, whose state is not known now: roll it back")
	errCut    = errors.New("exosql: a statement was cut off, which has ended this transaction: roll it back")
)

// ErrNoTx is why nothing is done in a Tx that Begin did not make.
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
		err = &fail.Error{Kind: fail.Invalid, Msg: "the transaction that it was to run in has ended", Err: ErrTxDone}
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

// ErrTxDone is why nothing is done in a Tx that has ended.
var ErrTxDone = errors.New("exosql: this Tx has ended already, by Commit, Rollback or Close of its DB")
