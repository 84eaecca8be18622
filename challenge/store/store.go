package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver of SQLite

	"github.com/exoagent/exoagent/internal/scalar"
)

// Options are bounds. Zero means the default.
type Options struct {
	PerPlayer int           // PerPlayer is the most attempts of one player; default 200
	Bytes     int64         // Bytes bounds the records of attempts and the chats together; default 256 MiB
	Players   int           // Players is the most players; default 20,000
	Wins      int           // Wins is the most listed claims on control lanes; default 5,000
	Pinned    int           // Pinned is the most attempts that stay because they belong to wins on guarded lanes; default 2,000, within a quarter of Bytes
	Idle      time.Duration // Idle is the time after which a player without a visit is gone; default 7 days
	Life      time.Duration // Life is the time after which a player is gone; default 30 days
	Now       func() time.Time
}

// Store is the open file with everything that must outlive the process. Several goroutines may call its methods.
type Store struct {
	o      Options
	path   string
	id     string  // the name of this process
	write  *sql.DB // one connection, so that writes come one after the other
	read   *sql.DB
	shared *sql.DB // what the processes share that no backup has
	own    *sql.DB // the lock of this process

	// Addresses are stored as digests under this key, which the file does not have. The digests distinguish addresses while a process lives, and
	// lead to no person.
	secret [32]byte
	mu     sync.Mutex // locked during a whole write of this process

	failing atomic.Bool // the last write failed
}

// Open opens or makes the file, which other processes of this machine may use. It fails if the file is of another program. Attempts that a dead
// process did not end become Interrupted.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	o.defaults()
	s := &Store{o: o, path: path}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

func (o *Options) defaults() {
	scalar.Default(&o.PerPlayer, 200)
	scalar.Default(&o.Bytes, 256<<20)
	scalar.Default(&o.Players, 20_000)
	scalar.Default(&o.Wins, 5_000)
	scalar.Default(&o.Pinned, 2_000)
	scalar.Default(&o.Idle, 7*24*time.Hour)
	scalar.Default(&o.Life, 30*24*time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
}

func (s *Store) open(ctx context.Context) error {
	for _, name := range []string{s.path, s.path + ".lock"} { // the files contain keys and programs
		if err := private(name); err != nil {
			return err
		}
	}
	if err := s.join(ctx, func() (err error) {
		if s.write, err = openFile(s.path, "_txlock=immediate", 1); err == nil {
			err = s.migrate(ctx)
		}
		return err
	}); err != nil {
		return err
	}
	var err error
	if s.read, err = openFile(s.path, "_pragma=query_only(1)", 4); err != nil {
		return err
	}
	if err := s.InterruptDead(ctx); err != nil {
		return err
	}
	return s.bound(ctx)
}

// private makes a file that only its owner may read, unless it exists. It opens no file that exists: closing one drops SQLite's locks of this
// process.
func private(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// openFile opens a database for as many connections as conns. The argument more has further parameters for the driver.
func openFile(path, more string, conns int) (*sql.DB, error) {
	return openWith(path, "_busy_timeout=5000&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&"+more, conns)
}

// openLock opens a database that has no log and that is never waited for.
func openLock(path string) (*sql.DB, error) { return openWith(path, "_busy_timeout=0", 1) }

func openWith(path, parameters string, conns int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+parameters)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

func (s *Store) migrate(ctx context.Context) error {
	var app, v, tables int
	if err := s.write.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&app, &v, &tables); err != nil {
		return err
	}
	for app == application && upgrades[v] != "" {
		if _, err := s.write.ExecContext(ctx, fmt.Sprintf("BEGIN; %s PRAGMA user_version=%d; COMMIT", upgrades[v], v+1)); err != nil {
			return err
		}
		v++
	}
	switch {
	case tables == 0:
		_, err := s.write.ExecContext(ctx, fmt.Sprintf("BEGIN; %s PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", schema, application, version))
		if err != nil {
			return err
		}
	case app != application || v != version:
		return fmt.Errorf("the file is no store of this version (application_id %#x, user_version %d; want %#x, %d): export its attempts with the version that made it, and then move the file away", app, v, application, version)
	}
	return nil
}

// bound bounds the file itself, in case another bound fails, so that the disk is never full. Indexes and the rest of the file may use as
// much room as the records. SQLite accepts no bound below the file's size, so records beyond the other bounds must be deleted first.
func (s *Store) bound(ctx context.Context) error {
	if err := s.shrink(ctx); err != nil {
		return err
	}
	_, err := s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count=%d", (2*s.o.Bytes+64<<20)/4096))
	return err
}

// Close closes the file.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write, s.shared} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(append(errs, s.release())...)
}

// change runs f in a transaction. There is one transaction at a time, of all processes.
func (s *Store) change(ctx context.Context, f func(tx *sql.Tx) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		s.failing.Store(err != nil && !slices.ContainsFunc(refusals, func(r error) bool { return errors.Is(err, r) }))
	}()
	// The outcome of an attempt is stored even if its player has closed the connection.
	tx, err := s.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// refusals are the errors of changes that the store could have made.
var refusals = []error{ErrNone, ErrStopped, ErrYours, ErrFull}

// Failing reports whether the last write failed. On a full disk only reads work.
func (s *Store) Failing() bool { return s.failing.Load() }

// Try makes a write that changes nothing.
func (s *Store) Try(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE total SET stopped = stopped")
		return err
	})
}

func (s *Store) now() int64 { return s.o.Now().UnixMilli() }

func count(tx *sql.Tx, name string, n int64) error {
	_, err := tx.Exec("INSERT INTO counters (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n", name, n)
	return err
}

// Counters returns all-time numbers: players, attempts, attempts.LANE and wins.LANE. Deleting records at a bound does not lower them.
func (s *Store) Counters(ctx context.Context) (map[string]int64, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT name, n FROM counters")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			return nil, err
		}
		out[name] = n
	}
	return out, rows.Err()
}

// Bytes returns the size of all records and chats.
func (s *Store) Bytes(ctx context.Context) (n int64, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT bytes FROM total").Scan(&n)
	return n, err
}

// SetStopped stores whether the host has stopped the game, so that a supervisor that restarts the process does not undo the stop.
func (s *Store) SetStopped(ctx context.Context, on bool) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE total SET stopped = ?", on)
		return err
	})
}

// Stopped returns the value that SetStopped stored last.
func (s *Store) Stopped(ctx context.Context) (on bool, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT stopped FROM total").Scan(&on)
	return on, err
}
