package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// The token buckets of players and addresses are in the second file, because they matter only while a process lives. A bucket that is full needs
// no row.

const buckets = `
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

// Bucket is the state of a token bucket that all processes share.
type Bucket struct {
	Tokens float64
	At     time.Time // when Tokens was right; zero for a bucket that is full
	Full   time.Time // when the bucket will be full
}

// mostBuckets bounds the buckets of all rates together.
const mostBuckets = 100_000

// takeWait bounds the wait for the one connection to the second file, and for other processes.
const takeWait = time.Second

// Take changes the bucket of a key in a transaction, so that no other process changes it at the same time. It ends after takeWait, and changes
// the bucket even if ctx has ended, because a request whose client has gone counts too.
func (s *Store) Take(ctx context.Context, rate, key string, change func(*Bucket)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeWait)
	defer cancel()
	if err := s.take(ctx, rate, s.address(key), change); err != nil {
		return fmt.Errorf("store: the file %s.lock, which counts requests, can't be used: %w", s.path, err)
	}
	return nil
}

func (s *Store) take(ctx context.Context, rate string, key []byte, change func(*Bucket)) error {
	tx, err := s.shared.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var b Bucket
	var at int64
	switch err := tx.QueryRowContext(ctx, "SELECT tokens, at FROM buckets WHERE rate = ? AND key = ?", rate, key).Scan(&b.Tokens, &at); {
	case err == nil:
		b.At = time.Unix(0, at)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	change(&b)
	if _, err := tx.ExecContext(ctx, "INSERT INTO buckets (rate, key, tokens, at, full_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET tokens = excluded.tokens, at = excluded.at, full_at = excluded.full_at",
		rate, key, b.Tokens, b.At.UnixNano(), b.Full.UnixNano()); err != nil {
		return err
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
