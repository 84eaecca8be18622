package game

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// schemas keeps copies as schemas of a PostgreSQL database, which serves only this challenge.
type schemas struct {
	admin  *sql.DB
	url    *url.URL
	reader *url.URL // nil means the role of url
	role   string   // the reader's name

	number int32 // the number of this process, in the names of its schemas

	mu   sync.Mutex
	lock *sql.Conn // the connection that has the lock of this process
}

// mine begins the names of the challenge's schemas.
const mine = "exochallenge_"

// ours begins the names of the schemas of this process.
func (s *schemas) ours() string { return fmt.Sprintf("%s%d_", mine, s.number) }

// These name what is at fault if copies can't be made.
var (
	ErrURL    = errors.New("game: the database of the copies")
	ErrReader = errors.New("game: the role that reads the copies")
)

// errForm quotes nothing, because the URL may contain a password.
var errForm = errors.New("want postgres://user@host/database, or postgres://user@/database?host=/run/postgresql")

func newSchemas(ctx context.Context, raw, reader string) (*schemas, error) {
	s := &schemas{number: mathrand.Int32N(1e9)}
	var err error
	if s.url, err = readURL(raw); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	if reader != "" {
		if s.reader, err = readURL(reader); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrReader, err)
		}
		if s.role = s.reader.User.Username(); s.role == "" {
			return nil, fmt.Errorf("%w: the URL has no user name: want postgres://ROLE@host/database", ErrReader)
		}
	}
	admin, err := pgx.ParseConfig(raw)
	if err != nil { // the parser's error may quote the password
		return nil, fmt.Errorf("%w: %w", ErrURL, errForm)
	}
	s.admin = stdlib.OpenDB(*admin, stdlib.OptionBeforeConnect(func(_ context.Context, c *pgx.ConnConfig) error {
		pgsession.Own(&c.Config) // the lock belongs to the session, so the session must not be shared
		return nil
	}))
	s.admin.SetMaxOpenConns(3) // one connection keeps the lock
	if err = s.hold(ctx); err == nil {
		err = s.clean(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrURL, err), s.close())
	}
	return s, nil
}

func readURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" && u.Query().Get("host") == "" {
		return nil, errForm
	}
	return u, nil
}

// lockNumber is the class of the advisory locks of processes, and the lock that they share. A process of an earlier version has that lock alone.
const lockNumber = 0x65786f31

// holdWait is how long the server may take to notice that a session has ended.
const holdWait = 2 * time.Second

var errHeld = errors.New("a challenge of an earlier version uses this database, or a lost session of this process still does: stop that challenge, or start again in a moment")

// hold marks the schemas of this process as used, or checks that they are still marked. Another process would drop them as left over. The mark
// ends with its connection, so hold is called before each copy.
func (s *schemas) hold(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		if s.lock.PingContext(ctx) == nil {
			return nil
		}
		s.lock.Close()
		s.lock = nil
	}
	c, err := s.admin.Conn(ctx)
	if err != nil {
		return err
	}
	for end := time.Now().Add(holdWait); ; {
		var got bool
		err := c.QueryRowContext(ctx, `SELECT pg_try_advisory_lock_shared($1) AND pg_try_advisory_lock($1::int, $2)`, lockNumber, s.number).Scan(&got)
		if err == nil && got {
			s.lock = c
			return nil
		}
		if err == nil && time.Now().After(end) {
			err = errHeld
		}
		if err != nil {
			return errors.Join(err, c.Close())
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done(): // the next statement returns the error
		}
	}
}

// clean drops the schemas of dead processes.
func (s *schemas) clean(ctx context.Context) error {
	rows, err := s.lock.QueryContext(ctx, `SELECT nspname, coalesce(substring(nspname FROM '^`+mine+`([0-9]{1,9})_')::int, -1) FROM pg_namespace WHERE starts_with(nspname, $1)`, mine)
	if err != nil {
		return err
	}
	old := map[int32][]string{}
	for rows.Next() {
		var name string
		var of int32
		if err := rows.Scan(&name, &of); err != nil {
			rows.Close()
			return err
		}
		old[of] = append(old[of], name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for of, names := range old {
		var dead bool
		if err := s.lock.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1::int, $2)`, lockNumber, of).Scan(&dead); err != nil {
			return err
		}
		for _, n := range names {
			if !dead {
				break
			}
			if _, err := s.lock.ExecContext(ctx, "DROP SCHEMA IF EXISTS "+sqlname.Quote(n)+" CASCADE"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *schemas) engine() string { return "postgres" }

func (s *schemas) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, _ = s.lock.ExecContext(ctx, `SELECT pg_advisory_unlock_all()`) // otherwise the session's end releases the lock later
		s.lock.Close()
		s.lock = nil
	}
	return s.admin.Close()
}

func (s *schemas) open(ctx context.Context, name string, t *Target, key Key, cursors []byte) (*exosql.DB, error) {
	if err := s.hold(ctx); err != nil {
		return nil, err
	}
	if err := s.make(ctx, name, t, key); err != nil {
		return nil, err
	}
	return s.connect(ctx, s.programs(), name, cursors, nil)
}

// programs returns the URL that programs' statements use.
func (s *schemas) programs() *url.URL {
	if s.reader != nil {
		return s.reader
	}
	return s.url
}

// make makes and fills a schema.
func (s *schemas) make(ctx context.Context, name string, t *Target, key Key) error {
	schema := sqlname.Quote(s.ours() + name)
	if _, err := s.admin.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return err
	}
	db, err := s.connect(ctx, s.url, name, nil, func(ctx context.Context, db *sql.DB) error {
		if err := t.fill(ctx, db, key, numbered); err != nil || s.reader == nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "GRANT USAGE ON SCHEMA "+schema+" TO "+sqlname.Quote(s.role)+"; GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+sqlname.Quote(s.role)); err != nil {
			return fmt.Errorf("%w: %w", ErrReader, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	db.Close()
	return nil
}

// try implements place. The programs' role must see the copy. If it is a role of its own, it must not be able to change the copy.
func (s *schemas) try(ctx context.Context, name string, t *Target) (super bool, err error) {
	if err := s.make(ctx, name, t, NewKey()); err != nil {
		if !errors.Is(err, ErrReader) {
			err = fmt.Errorf("%w: %w", ErrURL, err)
		}
		return false, errors.Join(err, s.drop(ctx, name))
	}
	db, err := s.connect(ctx, s.programs(), name, nil, func(ctx context.Context, db *sql.DB) error {
		if err := db.QueryRowContext(ctx, `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`).Scan(&super); err != nil {
			return err
		}
		tables, err := tablesOf(ctx, t.Schema)
		if err != nil {
			return err
		}
		for _, table := range tables {
			var rows, write bool
			if err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+sqlname.Quote(table.Name)+`), has_table_privilege($1, 'INSERT, UPDATE, DELETE, TRUNCATE')`, sqlname.Quote(table.Name)).Scan(&rows, &write); err != nil {
				return err
			}
			if write && s.reader != nil {
				return fmt.Errorf("the role may change table %s: revoke INSERT, UPDATE, DELETE and TRUNCATE on the table from the role", table.Name)
			}
		}
		return nil
	})
	if err != nil {
		fault := ErrURL
		if s.reader != nil {
			fault = ErrReader
		}
		return super, errors.Join(fmt.Errorf("%w: %w", fault, err), s.drop(ctx, name))
	}
	db.Close()
	return super, s.drop(ctx, name)
}

// connect opens the database at u. A table name without a schema means a table of the copy called name.
func (s *schemas) connect(ctx context.Context, u *url.URL, name string, cursors []byte, setup func(context.Context, *sql.DB) error) (*exosql.DB, error) {
	c := *u
	q := c.Query()
	q.Set("search_path", s.ours()+name)
	c.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return exosql.Open(ctx, c.String(), &exosql.OpenOptions{Conns: 1, PlanBytes: copyPlanBytes, CursorKey: cursors, Setup: setup})
}

func (s *schemas) gone(ctx context.Context, name string) bool {
	var there bool
	err := s.admin.QueryRowContext(ctx, `SELECT to_regnamespace($1) IS NOT NULL`, sqlname.Quote(s.ours()+name)).Scan(&there)
	return err == nil && !there
}

func (s *schemas) drop(ctx context.Context, name string) error {
	_, err := s.admin.ExecContext(ctx, "DROP SCHEMA IF EXISTS "+sqlname.Quote(s.ours()+name)+" CASCADE")
	return err
}
