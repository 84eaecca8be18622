package exosql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Tx is a transaction of the host around runs: what runs with its [Tx.Context] read and change on its DB they read and change in
// it, one run after the other, and nobody else sees it before Commit. A
// run that fails leaves the transaction as it was. It is for trying programs, at a keyboard or in a test: others
// wait for what it has changed, and what a run did is never run again for it, so a conflict with
// another transaction ends a run with Kind Conflict, and is not replayed. Relations are read and written outside of
// it, but for those that are [Relation.In] it. [DB.Transact] makes a Tx for Go code alone.
//
// A run ends when its part of the Tx does: its record says then that its changes were applied, and its held effects
// act, whatever becomes of the Tx. So grant programs that are tried no effects outside of the database.
type Tx struct {
	db   *DB
	turn chan struct{} // of the run, or the call of a relation, that is in it

	owned bool // by Transact, which ends it

	written []decl.RowWrite // what hooks after the commit will be told; by its turn

	mu     sync.Mutex
	w      engine.Writer // nil: it has ended
	spoilt atomic.Bool   // see spoil
}

// Begin opens a Tx. It has one of the DB's connections for writing until it ends, by Commit or Rollback; a deferred Rollback after a
// Commit does nothing. Close of the DB rolls it back.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	if err := db.ready(); err != nil {
		return nil, err
	}
	t, err := db.newTx(ctx)
	if err != nil {
		return nil, err
	}
	db.txMu.Lock()
	defer db.txMu.Unlock()
	if db.txs == nil {
		db.txs = map[*Tx]struct{}{}
	}
	db.txs[t] = struct{}{}
	return t, nil
}

// Context is ctx for runs that are in the Tx: give it to [codemode.Tool.Run]. After the Tx has ended such a run is an error that wraps
// [ErrTxDone], and so is one in the Tx of a Transact: it could not be told whether what it changed was kept. Runs on other databases are not in it.
func (t *Tx) Context(ctx context.Context) context.Context {
	if t == nil || t.db == nil || t.owned { // runs with it are refused
		return context.WithValue(ctx, txKey{}, &Tx{})
	}
	return context.WithValue(ctx, txKey{t.db}, t)
}

// txKey is the key by which the context of a run has the Tx that it is in, of each DB.
type txKey struct{ db *DB }

func (db *DB) txOf(ctx context.Context) *Tx {
	if t, ok := ctx.Value(txKey{}).(*Tx); ok {
		return t
	}
	t, _ := ctx.Value(txKey{db}).(*Tx)
	return t
}

// rollBackAll ends what was begun and not ended.
func (db *DB) rollBackAll() (err error) {
	db.txMu.Lock()
	open := slices.Collect(maps.Keys(db.txs))
	db.txMu.Unlock()
	for _, t := range open {
		err = errors.Join(err, t.Rollback(context.Background()))
	}
	return err
}

func (db *DB) newTx(ctx context.Context) (*Tx, error) {
	w, err := db.writer(ctx)
	if err != nil {
		return nil, err
	}
	if err := db.writers.Use(w, func() error { return w.Begin(ctx) }); err != nil {
		db.writers.Release(w)
		return nil, fail.Classify("", err)
	}
	return &Tx{db: db, turn: make(chan struct{}, 1), w: w}, nil
}

// Transact calls f with a new Tx, which it commits if f returns nil and rolls back if not. As many of them may be open at
// once as the DB has connections for writing, [OpenOptions].Conns; the next waits. What relations [Relation.In] the Tx read and
// write is one transaction, SERIALIZABLE on PostgreSQL; a relation that is not In it is outside of it, and on SQLite waits for
// it in vain if it writes. Where another transaction was in its way, f is called again, a few times at most, so it must change
// nothing else, and return the error that it was given or one that wraps it. Programs do not run in it. An error of f is
// returned as it is; after another one that does not wrap [exo.ErrNothingDone] nobody knows whether the transaction was kept.
func (db *DB) Transact(ctx context.Context, f func(*Tx) error) error {
	if err := db.ready(); err != nil {
		return undone("exosql: Transact", err)
	}
	for tries := 1; ; tries++ {
		err := db.transact(ctx, f)
		if !errors.Is(err, errOvertaken) || tries == maxTries || ctx.Err() != nil {
			return err
		}
	}
}

func (db *DB) transact(ctx context.Context, f func(*Tx) error) (err error) {
	t, err := db.newTx(ctx)
	if err != nil {
		return undone("exosql: Transact", err)
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

// In is the relation as it is read and written in a Tx of the same DB: it sees what was changed there. Objects that a
// [Facet] makes of it are not bound to the Tx.
func (r Relation[T]) In(tx *Tx) Relation[T] {
	if r.r == nil {
		return r
	}
	err := r.r.Err
	switch {
	case err != nil:
	case tx == nil || tx.db == nil:
		err = errNoTx
	case tx.db != r.db:
		err = fail.Errorf(fail.Invalid, "exosql: In", "the transaction is of another database than the relation")
	}
	s := *r.r
	s.Err = err
	return Relation[T]{&s, r.t, r.db, tx}
}

// Commit keeps what the runs have changed. After an error that does not wrap exo.ErrNothingDone nobody knows whether it was kept;
// one of Kind Conflict says that another transaction was in its way. The Tx has ended with any error but that ctx ended while
// a run was still in it. Of a Tx that has ended already, by whatever end, Commit is an error of Kind Invalid, since nil would
// say that something was kept.
// Of the Tx of a Transact, which commits it when its function has returned, it is an error.
func (t *Tx) Commit(ctx context.Context) error {
	if t != nil && t.owned { // else what was kept could not be undone any more by an error of the function
		return undone("exosql: Commit", fail.Errorf(fail.Invalid, "", "Transact commits it, when its function has returned nil"))
	}
	return t.commit(ctx)
}

func (t *Tx) commit(ctx context.Context) error {
	var written []decl.RowWrite
	err := t.end(ctx, func(w engine.Writer) error {
		if err := w.Prepare(ctx); err != nil {
			return undone("exosql: Commit", t.db.constraintError(nil, noReplay(err)))
		}
		err := w.Commit(ctx)
		switch {
		case err == nil:
			written = t.written
		case errors.Is(err, exo.ErrNothingDone) || errors.Is(err, engine.ErrSerial): // the database has said so
			return undone("exosql: Commit", t.db.constraintError(nil, noReplay(err)))
		}
		return err
	})
	if written != nil { // the connection is given back: a hook may use the database
		t.db.settleTyped(ctx, written)
	}
	return fail.Classify("exosql: Commit", err)
}

// Rollback undoes what the runs have changed, once the run that is in the transaction has ended: ctx does not end it, since
// its caller may have been cancelled just then. Of a Tx that has ended already it does nothing.
func (t *Tx) Rollback(ctx context.Context) error {
	if err := t.end(context.WithoutCancel(ctx), func(engine.Writer) error { return nil }); !errors.Is(err, ErrTxDone) {
		return err
	}
	return nil
}

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
	if t == nil || t.db == nil {
		return errNoTx
	}
	if err := t.enter(ctx); err != nil {
		return undone("exosql: Commit", err)
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
		t.db.txMu.Lock()
		delete(t.db.txs, t)
		t.db.txMu.Unlock()
	}()
	err := t.db.writers.Use(w, func() error {
		if t.spoilt.Load() {
			return errors.Join(exo.ErrNothingDone, errSpoilt, w.Rollback(context.WithoutCancel(ctx)))
		}
		err := how(w)
		return errors.Join(err, w.Rollback(context.WithoutCancel(ctx)))
	})
	if t.spoilt.Load() {
		t.db.writers.Discard(w)
		return err
	}
	t.db.writers.Release(w)
	return err
}

// spoil ends a run's part of the transaction by which a driver has panicked: nothing of the transaction can be kept any more.
func (t *Tx) spoil(engine.Writer) {
	t.spoilt.Store(true)
	<-t.turn
}

var (
	errSpoilt = errors.New("exosql: the driver panicked in this transaction, of which nobody knows the state now: roll it back")
	errCut    = errors.New("exosql: a statement of this transaction was cut off, which has ended it: roll it back")
)

var errNoTx = &fail.Error{Kind: fail.Invalid, Err: errors.New("exosql: this Tx was not begun: DB.Begin makes one")}

// part waits for a run's turn in the transaction.
func (t *Tx) part(ctx context.Context) (engine.Writer, func(engine.Writer), error) {
	if t.db == nil {
		return nil, nil, errNoTx
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

// part is one run in a Tx: what a unit takes for a transaction of its own is a savepoint.
type part struct {
	engine.Writer
	begun bool
	over  bool // it was in a conflict, which its program may have caught
}

func (p *part) Begin(ctx context.Context) error {
	err := noReplay(p.Mark(ctx))
	p.begun, p.over = err == nil, false
	return err
}

func (p *part) Open() bool { return p.begun && !p.over && p.Writer.Open() }

func (p *part) Commit(ctx context.Context) error {
	p.begun = false
	if err := noReplay(p.Keep(ctx)); err != nil {
		return errors.Join(exo.ErrNothingDone, err, p.Back(ctx)) // it is not final before the Tx is
	}
	return nil
}

func (p *part) Rollback(ctx context.Context) error {
	if !p.begun {
		return nil
	}
	p.begun = false
	return p.Back(ctx)
}

func (p *part) Prepare(ctx context.Context) error { return noReplay(p.Writer.Prepare(ctx)) }

func (p *part) Query(ctx context.Context, q *plan.Plan, args []value.Value, out *plan.Collector) error {
	err := p.Writer.Query(ctx, q, args, out)
	p.over = p.over || errors.Is(err, engine.ErrSerial)
	return noReplay(err)
}

func (p *part) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (int64, error) {
	n, err := p.Writer.Write(ctx, changes, out)
	p.over = p.over || errors.Is(err, engine.ErrSerial)
	return n, noReplay(err)
}

func (p *part) Witness(ctx context.Context, run string, at time.Time) error {
	return noReplay(p.Writer.Witness(ctx, run, at))
}

// errOvertaken is why a transaction would have to begin anew.
var errOvertaken = errors.New("exosql: another transaction was in its way")

// noReplay makes a conflict with another transaction the end of a run: to begin anew it would take another
// state of the database, and with it all that the runs before it did in the Tx, which somebody has seen.
func noReplay(err error) error {
	if !errors.Is(err, engine.ErrSerial) {
		return err
	}
	return &fail.Error{Kind: fail.Conflict, Msg: "others changed what was read in this transaction; it has to be rolled back", Err: fmt.Errorf("%w: %s", errOvertaken, err)}
}
