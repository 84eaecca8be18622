package store

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/challenge/game"
)

// Several processes of one machine may use the file. Each holds the lock of a file of its own until it ends, however it ends. A second file,
// which no backup has, keeps what the processes share only while one of them lives: the key of addresses and the buckets of rates.

const shared = `
CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS buckets (
	rate    TEXT NOT NULL,
	key     BLOB NOT NULL, -- a digest
	tokens  REAL NOT NULL,
	at      INTEGER NOT NULL, -- in nanoseconds, as is full_at
	full_at INTEGER NOT NULL,
	PRIMARY KEY (rate, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS buckets_by_full ON buckets (full_at);
`

// join makes this process one of those that use the file, and then opens the file by open. Processes join one at a time.
func (s *Store) join(ctx context.Context, open func() error) (err error) {
	s.id = NewID()
	if s.shared, err = openFile(s.path+".lock", "_txlock=immediate&_pragma=secure_delete(1)&_pragma=busy_timeout(1000)", 1); err != nil {
		return err
	}
	end := time.Now().Add(joinWait)
	tx, err := s.shared.BeginTx(ctx, nil)
	for busy(err) && time.Now().Before(end) {
		time.Sleep(20 * time.Millisecond) // SQLite does not wait for the lock that begins the log of a new file
		tx, err = s.shared.BeginTx(ctx, nil)
	}
	if busy(err) {
		return errors.New("a process of an earlier version uses this file: stop that process first")
	}
	if err != nil {
		return err
	}
	defer tx.Rollback()
	alone, err := s.alone()
	if err != nil {
		return err
	}
	// Another process may treat a lock that is not held as that of a dead process, but only in a transaction like this one.
	if s.own, err = s.hold(s.id); err != nil {
		return err
	}
	if _, err := tx.Exec(shared); err != nil {
		return err
	}
	if alone {
		fresh := make([]byte, len(s.secret))
		rand.Read(fresh)
		if _, err := tx.Exec("DELETE FROM buckets; DELETE FROM secret"); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO secret (key) VALUES (?)", fresh); err != nil {
			return err
		}
	}
	var key []byte
	if err := tx.QueryRow("SELECT key FROM secret").Scan(&key); err != nil {
		return err
	}
	copy(s.secret[:], key)
	if err := open(); err != nil {
		return err
	}
	return tx.Commit()
}

// joinWait is how long a start waits for the starts of other processes.
var joinWait = 10 * time.Second

func busy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == lib.SQLITE_BUSY
}

const live = ".live"

func (s *Store) liveFile(id string) string { return s.path + "." + id + live }

// hold takes the lock of a process. The lock lasts until the database is closed, or its process ends.
func (s *Store) hold(id string) (*sql.DB, error) {
	name := s.liveFile(id)
	if err := private(name); err != nil {
		return nil, err
	}
	db, err := openFile(name, "", 1)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ID returns the name of this process.
func (s *Store) ID() string { return s.id }

// Lives reports whether the process with this name uses the file. A process of which this is not known lives.
func (s *Store) Lives(id string) bool {
	if id == s.id {
		return true
	}
	if _, err := os.Stat(s.liveFile(id)); err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	db, err := s.hold(id)
	if err != nil {
		return true
	}
	db.Close()
	return false
}

// alone reports whether no other process uses the file, and removes the locks of dead processes.
func (s *Store) alone() (bool, error) {
	names, err := filepath.Glob(escaped(s.path) + ".*" + live)
	if err != nil {
		return false, err
	}
	alone := true
	for _, name := range names {
		if id := strings.TrimSuffix(strings.TrimPrefix(name, s.path+"."), live); s.Lives(id) {
			alone = false
		} else if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
	}
	return alone, nil
}

// escaped returns a path as a pattern for itself.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// release releases the lock of this process.
func (s *Store) release() error {
	if s.own == nil {
		return nil
	}
	err := s.own.Close()
	if gone := os.Remove(s.liveFile(s.id)); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// Secret returns a key that all processes have for this use. It changes when a process starts while no other lives.
func (s *Store) Secret(use string) []byte {
	m := hmac.New(sha256.New, s.secret[:])
	m.Write([]byte(use))
	return m.Sum(nil)
}

// Bury ends the attempts that dead processes were playing, or had yet to play.
func (s *Store) Bury(ctx context.Context) error {
	rows, err := s.read.QueryContext(ctx, "SELECT DISTINCT process FROM attempts WHERE state IN (?, ?) AND process <> ?", game.Queued, game.Running, s.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	var dead []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		dead = append(dead, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, id := range dead {
		if s.Lives(id) {
			continue
		}
		if err := s.interrupt(ctx, id); err != nil { // it reads the attempts only now, because a process may end an attempt right before its own end
			return fmt.Errorf("store: the attempts of process %s: %w", id, err)
		}
	}
	return nil
}

// Bucket is the state of a token bucket that all processes share.
type Bucket struct {
	Tokens float64
	At     time.Time // when Tokens was right; zero for a bucket that is full
	Full   time.Time // when the bucket will be full
}

// mostBuckets bounds the buckets of all rates together.
const mostBuckets = 100_000

// Take changes the bucket of a key, while no other process can.
func (s *Store) Take(ctx context.Context, rate, key string, change func(*Bucket)) error {
	tx, err := s.shared.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer tx.Rollback()
	var b Bucket
	var at int64
	switch err := tx.QueryRow("SELECT tokens, at FROM buckets WHERE rate = ? AND key = ?", rate, s.address(key)).Scan(&b.Tokens, &at); {
	case err == nil:
		b.At = time.Unix(0, at)
	case !errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("store: %w", err)
	}
	change(&b)
	if _, err := tx.Exec("INSERT INTO buckets (rate, key, tokens, at, full_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET tokens = excluded.tokens, at = excluded.at, full_at = excluded.full_at",
		rate, s.address(key), b.Tokens, b.At.UnixNano(), b.Full.UnixNano()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return tx.Commit()
}

// SweepBuckets deletes the buckets that are full, and beyond a bound those that will be full the soonest.
func (s *Store) SweepBuckets(ctx context.Context) error {
	if _, err := s.shared.ExecContext(ctx, "DELETE FROM buckets WHERE full_at <= ?", s.o.Now().UnixNano()); err != nil {
		return err
	}
	_, err := s.shared.ExecContext(ctx, "DELETE FROM buckets WHERE (rate, key) IN (SELECT rate, key FROM buckets ORDER BY full_at LIMIT max(0, (SELECT count(*) FROM buckets) - ?))", mostBuckets)
	return err
}
