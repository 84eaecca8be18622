package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// rollback is a database whose file has no write-ahead log yet, and a connection of another process.
func rollback(t *testing.T) (*Database, *sql.DB) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rollback.db")
	other := sql.OpenDB(connector{"file:" + file})
	other.SetMaxOpenConns(1)
	t.Cleanup(func() { other.Close() })
	if _, err := other.Exec("CREATE TABLE t (x); PRAGMA journal_mode = DELETE"); err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), file, engine.Options{PreparedBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e.(*Database), other
}

// TestConnectTogether: of connections that ask for the write-ahead log at the same time SQLite lets one have it, and tells the
// others at once that the database is locked, whatever time they would wait: each reads first, and none may wait for
// the others with that lock. They ask again.
func TestConnectTogether(t *testing.T) {
	t.Parallel()
	for range 20 {
		e, _ := rollback(t)
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			all.Go(func() {
				<-begin
				w, err := e.ConnectWriter(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				w.Close()
			})
		}
		close(begin)
		all.Wait()
	}
}

// TestConnectLocked: who can't have a connection because of others is told that it may try again; it stops waiting
// with its context.
func TestConnectLocked(t *testing.T) {
	t.Parallel()
	e, other := rollback(t)
	if _, err := other.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.ConnectWriter(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("of an ended context: %v", err)
	}
	var free atomic.Bool
	go func() {
		time.Sleep(50 * time.Millisecond)
		free.Store(true)
		other.Exec("COMMIT")
	}()
	w, err := e.ConnectWriter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !free.Load() {
		t.Error("it had a connection while another had the database")
	}
	w.Close()
	if err := serial(&SqlError{Code: sqlite3.SQLITE_BUSY}); !errors.Is(err, engine.ErrSerial) {
		t.Error(err)
	}
}
