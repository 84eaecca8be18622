package game

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // for the schemas themselves, which exosql has no hand in

	"github.com/exoagent/exoagent/exosql"
)

// schemas keeps copies as schemas of one PostgreSQL database, which serves this
// one challenge and nothing else.
type schemas struct {
	admin  *sql.DB
	url    *url.URL
	reader *url.URL // nil: as url
	role   string   // the reader's name
}

// ours begins the names of our schemas.
const ours = "exochallenge_"

var errURL = errors.New("game: want postgres://user@host/database") // the URL itself may hold a password

func newSchemas(ctx context.Context, raw, reader string) (*schemas, error) {
	s := &schemas{}
	var err error
	if s.url, err = url.Parse(raw); err != nil || s.url.Host == "" {
		return nil, errURL
	}
	if reader != "" {
		if s.reader, err = url.Parse(reader); err != nil || s.reader.Host == "" || s.reader.User.Username() == "" {
			return nil, errURL
		}
		s.role = s.reader.User.Username()
	}
	if s.admin, err = sql.Open("pgx", raw); err != nil {
		return nil, errURL
	}
	s.admin.SetMaxOpenConns(2)
	if err := s.clean(ctx); err != nil {
		s.admin.Close()
		return nil, fmt.Errorf("game: the database of the copies: %w", err)
	}
	return s, nil
}

// clean drops what an earlier process left.
func (s *schemas) clean(ctx context.Context) error {
	rows, err := s.admin.QueryContext(ctx, `SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1)`, ours)
	if err != nil {
		return err
	}
	var old []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			rows.Close()
			return err
		}
		old = append(old, n)
	}
	if err := rows.Close(); err != nil {
		return err
	}
	for _, n := range old {
		if _, err := s.admin.ExecContext(ctx, "DROP SCHEMA "+quoted(n)+" CASCADE"); err != nil {
			return err
		}
	}
	return rows.Err()
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (s *schemas) engine() string { return "postgres" }
func (s *schemas) close() error   { return s.admin.Close() }

func (s *schemas) open(ctx context.Context, name string, t *Target, key Key) (*exosql.DB, error) {
	schema := quoted(ours + name)
	if _, err := s.admin.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return nil, err
	}
	fill := func(ctx context.Context, db *sql.DB) error {
		if err := t.fill(ctx, db, key, numbered); err != nil || s.reader == nil {
			return err
		}
		_, err := db.ExecContext(ctx, "GRANT USAGE ON SCHEMA "+schema+" TO "+quoted(s.role)+"; GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+quoted(s.role))
		return err
	}
	if s.reader == nil {
		return s.connect(ctx, s.url, name, fill)
	}
	owner, err := s.connect(ctx, s.url, name, fill)
	if err != nil {
		return nil, err
	}
	owner.Close()
	return s.connect(ctx, s.reader, name, nil)
}

// connect opens the schema as what the name tables without one means.
func (s *schemas) connect(ctx context.Context, u *url.URL, name string, setup func(context.Context, *sql.DB) error) (*exosql.DB, error) {
	c := *u
	q := c.Query()
	q.Set("search_path", ours+name)
	c.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return exosql.Open(ctx, c.String(), &exosql.Options{Conns: 1, Plans: 64, Setup: setup})
}

func (s *schemas) drop(ctx context.Context, name string) error {
	_, err := s.admin.ExecContext(ctx, "DROP SCHEMA IF EXISTS "+quoted(ours+name)+" CASCADE")
	return err
}
