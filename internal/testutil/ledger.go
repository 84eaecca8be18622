package testutil

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Ledger is a store that programs may change, on each engine. put(n) inserts a row in the run's unit of work, count() counts the rows, and
// post(n) is a held effect. A commit also stores the run's ID.
type Ledger struct {
	DB   *sql.DB
	Post func(n int64) error // the effect of post; nil does nothing

	// At is called at "begin", "put", "prepare", "witness", "commit", "committed" and "rollback". It may fail there. nil calls nothing.
	At func(ctx context.Context, what string) error

	engine Engine
}

// OpenLedger opens the ledger in the database at a URL of e.URL, after creating its tables.
func (e Engine) OpenLedger(t testing.TB, url string) *Ledger {
	t.Helper()
	db, err := e.OpenSQL(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	l, err := e.NewLedger(db)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// OpenSQL opens the database at a URL of e.URL without exosql.
func (e Engine) OpenSQL(url string) (*sql.DB, error) {
	if e.Name == Postgres.Name {
		return sql.Open("pgx", url)
	}
	return sql.Open("sqlite", strings.TrimPrefix(url, "sqlite:")+"?_pragma=busy_timeout(20000)&_txlock=immediate")
}

// NewLedger creates the ledger's tables unless they exist.
func (e Engine) NewLedger(db *sql.DB) (*Ledger, error) {
	l := &Ledger{DB: db, engine: e}
	for _, ddl := range []string{
		"CREATE TABLE IF NOT EXISTS ledger (n {int} NOT NULL)",
		"CREATE TABLE IF NOT EXISTS ledger_runs (id text PRIMARY KEY, kept {int} NOT NULL)",
	} {
		if _, err := db.Exec(e.SQL(ddl)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Describe implements exo.Object.
func (l *Ledger) Describe() (message.Description, error) {
	whole := &message.Term{Con: &message.Type{Name: value.TypeInt}}
	n := []message.Param{{Name: "n", Want: whole}}
	methods := map[string]*message.Method{
		"put":   {Name: "put", Doc: "adds a number", Params: n, Result: whole, Sends: true, Effect: message.InUnit},
		"count": {Name: "count", Doc: "how many numbers there are", Result: whole, Sends: true},
		"post":  {Name: "post", Doc: "sends a number away", Params: n, Result: &message.Term{Con: message.Receipt()}, Sends: true, Effect: message.Held},
	}
	i := &message.Interface{Name: "Ledger", Doc: "numbers", Methods: methods, Order: []string{"put", "count", "post"}}
	return message.Description{Type: &message.Type{Name: "Ledger"}, Interfaces: []*message.Interface{i}}, nil
}

// UnitKey implements exo.Transactional.
func (l *Ledger) UnitKey() any { return l }

// Eval implements exo.Object.
func (l *Ledger) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "post" {
		if l.Post == nil {
			return value.Null(), nil
		}
		return value.Null(), l.Post(m.Args[0].Int())
	}
	unit, err := m.Unit(l, l.begin)
	if err != nil {
		return value.Value{}, err
	}
	u := unit.(*ledgerUnit)
	if m.Root.Name == "put" {
		if _, err := u.tx.ExecContext(ctx, l.engine.Pick("INSERT INTO ledger VALUES (?)", "INSERT INTO ledger VALUES ($1)"), m.Args[0].Int()); err != nil {
			return value.Value{}, err
		}
		if err := l.at(ctx, "put"); err != nil {
			return value.Value{}, err
		}
	}
	var n int64
	err = u.tx.QueryRowContext(ctx, "SELECT count(*) FROM ledger").Scan(&n)
	return value.Int(n), err
}

// Rows returns the number of numbers in the ledger.
func (l *Ledger) Rows(t testing.TB) (n int) {
	t.Helper()
	if err := l.DB.QueryRow("SELECT count(*) FROM ledger").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Committed reports whether a run was kept. The answer is final, because Committed stores the ID of a run that was not kept.
func (l *Ledger) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	insert := l.engine.Pick("INSERT INTO ledger_runs VALUES (?, 0) ON CONFLICT DO NOTHING", "INSERT INTO ledger_runs VALUES ($1, 0) ON CONFLICT DO NOTHING")
	if _, err := l.DB.ExecContext(ctx, insert, run.String()); err != nil {
		return false, err
	}
	err = l.DB.QueryRowContext(ctx, l.engine.Pick("SELECT kept FROM ledger_runs WHERE id = ?", "SELECT kept = 1 FROM ledger_runs WHERE id = $1"), run.String()).Scan(&kept)
	return kept, err
}

func (l *Ledger) at(ctx context.Context, what string) error {
	if l.At == nil {
		return nil
	}
	return l.At(ctx, what)
}

func (l *Ledger) begin(ctx context.Context) (exo.Unit, error) {
	if err := l.at(ctx, "begin"); err != nil {
		return nil, err
	}
	tx, err := l.DB.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &ledgerUnit{l, tx}, nil
}

type ledgerUnit struct {
	l  *Ledger
	tx *sql.Tx
}

func (u *ledgerUnit) Prepare(ctx context.Context) error { return u.l.at(ctx, "prepare") }

// Witness implements exo.Witness.
func (u *ledgerUnit) Witness(ctx context.Context, run exo.RunID) error {
	if err := u.l.at(ctx, "witness"); err != nil {
		return err
	}
	_, err := u.tx.ExecContext(ctx, u.l.engine.Pick("INSERT INTO ledger_runs VALUES (?, 1)", "INSERT INTO ledger_runs VALUES ($1, 1)"), run.String())
	return err
}

func (u *ledgerUnit) Commit(ctx context.Context) error {
	if err := u.l.at(ctx, "commit"); err != nil {
		return err
	}
	if err := u.tx.Commit(); err != nil {
		return err
	}
	return u.l.at(ctx, "committed")
}

func (u *ledgerUnit) Rollback(ctx context.Context) error {
	if err := u.l.at(ctx, "rollback"); err != nil {
		u.tx.Rollback()
		return err
	}
	return u.tx.Rollback()
}
