package record_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/value"
)

// Notes is a table that programs may add to. Nobody else may: what a program can reach is
// what its methods do.
type Notes struct{ db *sql.DB }

// OpenNotes makes the table of the notes, and that of the runs that changed them.
func OpenNotes(path string) (*Notes, error) {
	// immediate: two runs that both read and then write would not get past each other.
	db, err := sql.Open("sqlite", path+"?_txlock=immediate&_pragma=busy_timeout(20000)")
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL CHECK (text <> ''));
		CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, kept BOOLEAN NOT NULL)`)
	return &Notes{db}, err
}

// Describe implements exo.Object: add changes the notes in the run's transaction.
func (n *Notes) Describe() (message.Description, error) {
	text, count := &message.Term{Con: &message.Type{Name: value.TypeText}}, &message.Term{Con: &message.Type{Name: value.TypeInt}}
	return message.Description{Type: &message.Type{Name: "Notes"}, Interfaces: []*message.Interface{{Name: "Notes", Order: []string{"add", "count"}, Methods: map[string]*message.Method{
		"add":   {Name: "add", Doc: "adds a note, and says how many there are", Params: []message.Param{{Name: "text", Want: text}}, Result: count, Sends: true, Effect: message.InUnit},
		"count": {Name: "count", Doc: "how many notes there are", Result: count, Sends: true},
	}}}}, nil
}

// UnitKey implements exo.Transactional: messages to one database act one after the other.
func (n *Notes) UnitKey() any { return n.db }

// Eval implements exo.Object.
func (n *Notes) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	u, err := m.Unit(n.db, n.begin)
	if err != nil {
		return value.Value{}, err
	}
	unit := u.(*unit)
	if m.Root.Name == "add" {
		err := unit.savepoint(ctx, func() error {
			_, err := unit.tx.ExecContext(ctx, "INSERT INTO notes VALUES (?)", m.Args[0].Text())
			return err
		})
		if err != nil {
			return value.Value{}, err
		}
	}
	var count int64
	err = unit.tx.QueryRowContext(ctx, "SELECT count(*) FROM notes").Scan(&count)
	return value.Int(count), err
}

// begin gets the context of the run: the transaction must outlive the message that began it.
func (n *Notes) begin(ctx context.Context) (exo.Unit, error) {
	tx, err := n.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &unit{tx: tx}, nil
}

// unit is the transaction of a run.
type unit struct {
	tx     *sql.Tx
	broken error // why nothing of it may be kept
}

// savepoint makes a change that is done whole or not at all, so that a program may catch
// its error and go on. Only where that is certain the error says that nothing was done.
func (u *unit) savepoint(ctx context.Context, change func() error) error {
	if u.broken != nil {
		return u.broken
	}
	always := context.WithoutCancel(ctx) // an interrupted message is undone as well
	if _, u.broken = u.tx.ExecContext(always, "SAVEPOINT message"); u.broken != nil {
		return u.broken
	}
	err := change()
	if err == nil {
		_, u.broken = u.tx.ExecContext(always, "RELEASE message")
		return u.broken
	}
	// SQLite may have ended the transaction, and then knows no savepoint. What came after
	// would be kept by itself: so nothing comes after.
	if _, undo := u.tx.ExecContext(always, "ROLLBACK TO message; RELEASE message"); undo != nil {
		u.broken = errors.Join(err, undo)
		return u.broken
	}
	return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
}

// Prepare implements exo.Unit. On PostgreSQL it is the place of SET CONSTRAINTS ALL IMMEDIATE.
func (u *unit) Prepare(context.Context) error { return u.broken }

// Witness implements exo.Witness: the ID of the run is kept if the change is.
func (u *unit) Witness(ctx context.Context, run exo.RunID) error {
	_, err := u.tx.ExecContext(ctx, "INSERT INTO runs VALUES (?, true)", run.String())
	return err
}

func (u *unit) Commit(context.Context) error   { return u.tx.Commit() }
func (u *unit) Rollback(context.Context) error { return u.tx.Rollback() }

// Committed implements record.Store. It takes the place of a run that it does not find, so
// that a transaction of it that is still on its way fails at Witness.
func (n *Notes) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	if _, err := n.db.ExecContext(ctx, "INSERT INTO runs VALUES (?, false) ON CONFLICT DO NOTHING", run.String()); err != nil {
		return false, err
	}
	err = n.db.QueryRowContext(ctx, "SELECT kept FROM runs WHERE id = ?", run.String()).Scan(&kept)
	return kept, err
}

// start opens the notes and the record, and settles what a process left that was killed.
func start(ctx context.Context, dir string) (*codemode.Tool, *record.File, error) {
	notes, err := OpenNotes(filepath.Join(dir, "notes.db"))
	if err != nil {
		return nil, nil, err
	}
	f, err := record.Open(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	runs, err := f.Unsettled()
	if err == nil {
		err = record.Reconcile(ctx, f, runs, notes)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	tool, err := codemode.New(codemode.Grants{"notes": notes}, &codemode.Options{Record: f})
	return tool, f, err
}

// A database of one's own that programs change: a transaction for each run, a savepoint for
// each message, and the ID of the run beside the change, by which the next process finds
// out whether a run was kept whose process was killed while it committed.
func Example_unit() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tool, f, err := start(ctx, dir)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for _, program := range []string{
		`return notes.add("buy milk")`,
		`await notes.add("buy bread"); throw new Error("no")`,
		`try { await notes.add("") } catch {} return notes.add("call ann")`,
		`return notes.count()`,
	} {
		r := tool.Run(ctx, program)
		fmt.Println(r.Value, r.Err)
		for _, e := range r.Effects {
			fmt.Println("-", e.Op, e.State)
		}
	}
	// Output:
	// 1 <nil>
	// - notes.add applied
	// <no value> 1:37: program: no
	// - notes.add rolled back
	// 2 <nil>
	// - notes.add rolled back
	// - notes.add applied
	// 2 <nil>
}
