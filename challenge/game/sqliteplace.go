package game

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/exoagent/exoagent/exosql"
)

// folder keeps copies as SQLite files.
type folder struct{ dir string }

// mark begins the names of our files, so that no other file in the folder is touched.
const mark = "copy-"

func newFolder(dir string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("game: the folder for copies has an empty name (CopyOptions.Dir)")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(dir, mark+"*.db*"))
	if err != nil {
		return nil, err
	}
	for _, f := range old {
		if err := os.Remove(f); err != nil {
			return nil, err
		}
	}
	return &folder{dir}, nil
}

func (f *folder) engine() string { return "sqlite" }
func (f *folder) close() error   { return nil }

func (f *folder) path(name string) string { return filepath.Join(f.dir, mark+name+".db") }

// mostImages is how many changed rows of an attempt are kept as they were and are. A person who decides about the changes could see them.
const mostImages = 200

func (f *folder) open(ctx context.Context, name string, t *Target, key Key, cursors []byte) (*exosql.DB, error) {
	return exosql.Open(ctx, "sqlite:"+f.path(name), &exosql.OpenOptions{
		Conns: 1, PlanBytes: copyPlanBytes, Images: mostImages, CursorKey: cursors,
		Setup: func(ctx context.Context, db *sql.DB) error {
			return t.fill(ctx, db, key, func(s string) string { return s })
		},
	})
}

func (f *folder) gone(_ context.Context, name string) bool {
	_, err := os.Stat(f.path(name))
	return errors.Is(err, os.ErrNotExist)
}

func (f *folder) try(ctx context.Context, name string, t *Target) (super bool, err error) {
	db, err := f.open(ctx, name, t, NewKey(), nil)
	if err != nil {
		return false, errors.Join(err, f.drop(ctx, name))
	}
	db.Close()
	return false, f.drop(ctx, name)
}

func (f *folder) drop(_ context.Context, name string) error {
	for _, tail := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(f.path(name) + tail); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("game: a copy can't be removed: %w", err)
		}
	}
	return nil
}

// literals match the parts of SQL that may contain a ? that is no placeholder.
var literals = regexp.MustCompile("(?s)'[^']*'|\"[^\"]*\"|--[^\n]*|/\\*.*?\\*/|\\?")

// numbered rewrites placeholders in PostgreSQL's form.
func numbered(statement string) string {
	n := 0
	return literals.ReplaceAllStringFunc(statement, func(s string) string {
		if s != "?" {
			return s
		}
		n++
		return fmt.Sprintf("$%d", n)
	})
}
