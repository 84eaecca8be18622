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

const shared = "CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL) STRICT;" + buckets

// join makes this process one of those that use the file, and then calls the function open, which opens the file. Processes join one at a time.
func (s *Store) join(ctx context.Context, open func() error) (err error) {
	s.id = NewID()
	if s.shared, err = openFile(s.path+".lock", "_txlock=immediate&_pragma=secure_delete(1)&_pragma=busy_timeout(1000)", 1); err != nil {
		return err
	}
	end := time.Now().Add(joinWait)
	tx, err := s.shared.BeginTx(ctx, nil)
	for busy(err) && time.Now().Before(end) {
		select { // SQLite does not wait for the lock that begins the log of a new file
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		tx, err = s.shared.BeginTx(ctx, nil)
	}
	if busy(err) {
		return fmt.Errorf("another process has held the lock %s.lock for %v: stop it if it is of an earlier version, or wait if it is starting", s.path, joinWait)
	}
	if err != nil {
		return err
	}
	defer tx.Rollback()
	alone, err := s.alone()
	if err != nil {
		return err
	}
	// Another process treats a lock that is not held as that of a dead process. Until this lock is held, its name is in no attempt and no folder
	// of copies. Only processes that join look at all locks, one at a time.
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
	db, err := openLock(name)
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

// Alive reports whether the process with this name uses the file. It returns true if it can't find out.
func (s *Store) Alive(id string) bool {
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
		if id := strings.TrimSuffix(strings.TrimPrefix(name, s.path+"."), live); s.Alive(id) {
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

// InterruptDead ends the attempts that dead processes were playing, or had yet to play.
func (s *Store) InterruptDead(ctx context.Context) error {
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
		if s.Alive(id) {
			continue
		}
		if err := s.interrupt(ctx, id); err != nil { // it reads the attempts only now, because a process may end an attempt right before its own end
			return fmt.Errorf("store: the attempts of the dead process %s can't be ended: %w", id, err)
		}
	}
	return nil
}
