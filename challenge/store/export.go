package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/exoagent/exoagent/challenge/game"
)

// Line is one line of an export: an attempt as a regression case. Keys in their plain form are redacted. A key that a program has recoded
// stays, and is of use only to its player. Player is the player's Alias.
type Line struct {
	Player string `json:"player"`
	Won    bool   `json:"won"` // the key is in the output, or was claimed after the attempt
	*game.Attempt
}

// Export writes every attempt as a line of JSON, the oldest first.
func (s *Store) Export(ctx context.Context, w io.Writer) (n int, err error) {
	return export(ctx, s.read, w)
}

// ExportFile is Export for a file that another process may use at the same time.
func ExportFile(ctx context.Context, path string, w io.Writer) (n int, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, fmt.Errorf("store: %w", err)
	}
	db, err := openFile(path, "_pragma=query_only(1)", 1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return export(ctx, db, w)
}

// BackupFile copies the file as it is at one moment; another process may use it. The copy has players' keys, so only its owner may read it.
// BackupFile fails if a file is already at the path of the copy.
func BackupFile(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	db, err := openFile(path, "_pragma=temp_store(2)", 1)
	if err != nil {
		return err
	}
	defer db.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite accepts an empty file as a new database
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	f.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return errors.Join(fmt.Errorf("store: %w", err), os.Remove(to))
	}
	return nil
}

func export(ctx context.Context, db *sql.DB, w io.Writer) (n int, err error) {
	var before int64
	for {
		// Read in portions, so that a slow reader does not block the file's log.
		rows, err := db.QueryContext(ctx, "SELECT seq, "+columns+" FROM attempts WHERE seq > ? ORDER BY seq LIMIT 100", before)
		if err != nil {
			return n, err
		}
		var part []Kept
		for rows.Next() {
			k, err := scanOne(withSeq{rows, &before})
			if err != nil {
				rows.Close()
				return n, err
			}
			part = append(part, k)
		}
		if err := rows.Close(); err != nil {
			return n, err
		}
		if len(part) == 0 {
			return n, rows.Err()
		}
		for _, k := range part {
			if err := json.NewEncoder(w).Encode(Line{Alias(k.Player), k.Won, k.Redacted()}); err != nil {
				return n, err
			}
			n++
		}
	}
}

type withSeq struct {
	rows *sql.Rows
	seq  *int64
}

func (r withSeq) Scan(to ...any) error { return r.rows.Scan(append([]any{r.seq}, to...)...) }
