// Package postgres keeps a [store.Store] in a table of PostgreSQL 14 or later, for processes on several machines.
//
// An operator makes the table once, with the statements of [SQL] or by [Create], as a role that may make tables. [Open] makes nothing, so its role
// needs only SELECT, INSERT, UPDATE and DELETE on the table. Its statements prepare nothing and set nothing, so a pooler may share sessions
// (PgBouncer in transaction mode).
//
// A change that returned nil is committed. Open refuses a role with synchronous_commit off, since then a loss of power of the server could undo a
// commit. Whether a standby has each commit after a failover is a setting of the server (synchronous_standby_names). If the connection is lost, or
// the context ends, during a change, the error is store.ErrUnknown. Then Get shows whether the entry has the version that Put returned.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Store is a store.Store in a table. Make it with Open. The zero Store and a nil *Store fail with store.ErrClosed.
type Store struct {
	db    *sql.DB
	table string // the name of the table, quoted for statements
	now   func() time.Time
}

var _ store.Store = (*Store)(nil)

// Options has the options of Open. A nil pointer means the zero value.
type Options struct {
	// Table is the name of the table, optionally with its schema, in lower-case letters, digits and _. "" means exo_store.
	Table string
	// Now returns the time that decides which entries have ended; nil: the server's clock, which is the same for all processes.
	Now func() time.Time
	// Conns is how many connections may be open; 0: 4.
	Conns int
}

var allowed = scalar.Pattern(`^(?:[a-z_][a-z0-9_]{0,40}\.)?([a-z_][a-z0-9_]{0,40})$`)

// quoted returns the name of a table and the name of its index, quoted for statements.
func quoted(table string) (name, index string, err error) {
	table = cmp.Or(table, "exo_store")
	m := allowed().FindStringSubmatch(table)
	if m == nil {
		return "", "", fmt.Errorf("%w: the table has the name %.80q; want at most 41 of a-z, 0-9 and _, no digit first, and perhaps a schema before it, like exo.store", store.ErrInvalid, table)
	}
	return `"` + strings.ReplaceAll(table, ".", `"."`) + `"`, `"` + m[1] + `_until"`, nil
}

// SQL returns the statements that make the table, for an operator to read and run. If table is "", its name is exo_store.
func SQL(table string) (string, error) {
	name, index, err := quoted(table)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("{table}", name, "{index}", index).Replace(`-- Keys are in the order of their bytes.
CREATE TABLE IF NOT EXISTS {table} (
  key     text COLLATE "C" PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 1024),
  version text NOT NULL CHECK (version <> ''),
  value   text NOT NULL CHECK (octet_length(value) <= 1048576), -- one value of JSON
  until   timestamptz -- when it ends; NULL: never
);
CREATE INDEX IF NOT EXISTS {index} ON {table} (until) WHERE until IS NOT NULL;
-- A role that uses the store needs no more than
-- GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO …;
`), nil
}

// Create makes the table with the statements of SQL, if it does not exist. The role in the URL must be allowed to make tables.
func Create(ctx context.Context, url, table string) error {
	text, err := SQL(table)
	if err != nil {
		return err
	}
	db, err := connect(url)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, text)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func connect(url string) (*sql.DB, error) {
	conf, err := pgx.ParseConfig(url)
	if err != nil { // the text of err is left out: it quotes the URL, which may have a password
		return nil, fmt.Errorf("%w: the PostgreSQL URL of the store can't be read: want postgres://user@host:port/database", store.ErrInvalid)
	}
	if conf.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement { // pgx prepares statements by default, which a pooler may lose
		conf.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	pgsession.Primary(&conf.Config)
	return stdlib.OpenDB(*conf), nil
}

// Open opens the store in an existing table, and checks that the role in the URL may use it.
func Open(ctx context.Context, url string, opt *Options) (*Store, error) {
	if opt == nil {
		opt = &Options{}
	}
	name, _, err := quoted(opt.Table)
	if err != nil {
		return nil, err
	}
	db, err := connect(url)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(cmp.Or(max(opt.Conns, 0), 4))
	s := &Store{db, name, opt.Now}
	var sync, role string
	var may bool
	err = db.QueryRowContext(ctx, `SELECT current_setting('synchronous_commit'), quote_ident(current_user), has_table_privilege($1, 'SELECT') AND has_table_privilege($1, 'INSERT')
		AND has_table_privilege($1, 'UPDATE') AND has_table_privilege($1, 'DELETE')`, name).Scan(&sync, &role, &may)
	switch {
	case err != nil:
		err = s.failed(err)
	case !may:
		err = fmt.Errorf("store: the role lacks a right on %s: GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s", name, name, role)
	case sync == "off":
		err = fmt.Errorf("store: synchronous_commit is off, so a change could be lost after it was reported as done: ALTER ROLE %s SET synchronous_commit = on", role)
	default:
		return s, nil
	}
	return nil, errors.Join(err, db.Close())
}

// failed explains an error after which nothing has changed.
func (s *Store) failed(err error) error {
	pg, _ := errors.AsType[*pgconn.PgError](err)
	switch {
	case pg == nil && err.Error() == "sql: database is closed":
		return store.ErrClosed
	case pg != nil && pg.Code == "42P01":
		return fmt.Errorf("store: %w: an operator makes the table once, by postgres.Create or with what `exo gen store` prints", err)
	case pg != nil && (pg.Code == "40001" || pg.Code == "40P01"): // another transaction changed the entry first
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	}
	return fmt.Errorf("store: %w", err)
}

// time returns the parameter $1 of the conditions live and ended.
func (s *Store) time() sql.NullTime {
	if s.now == nil {
		return sql.NullTime{}
	}
	return sql.NullTime{Time: s.now(), Valid: true}
}

// These are conditions on an entry. Parameter $1 is the time.
const (
	live  = `(t.until IS NULL OR t.until > coalesce($1::timestamptz, statement_timestamp()))`
	ended = `t.until <= coalesce($1::timestamptz, statement_timestamp())`
)

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, key string) (store.Entry, error) {
	if err := s.check(store.CheckKey(key, 1)); err != nil {
		return store.Entry{}, err
	}
	page, err := s.read(ctx, `AND t.key = $2`, key)
	if err != nil || len(page) == 0 {
		return store.Entry{Key: key}, err
	}
	return page[0], nil
}

func (s *Store) check(err error) error {
	if s == nil || s.db == nil {
		return store.ErrClosed
	}
	return err
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, prefix, after string, most int) ([]store.Entry, error) {
	if err := s.check(store.CheckList(prefix, after, most)); err != nil {
		return nil, err
	}
	// Every key between prefix and last begins with prefix, and no key after last does.
	last := prefix + strings.Repeat("\U0010ffff", store.MaxKey/4+1)
	return s.read(ctx, `AND t.key COLLATE "C" >= $2 AND t.key COLLATE "C" <= $3 AND t.key COLLATE "C" > $4 ORDER BY t.key COLLATE "C" LIMIT $5`, prefix, last, after, most)
}

// read returns the live entries that a condition selects, at most one page.
func (s *Store) read(ctx context.Context, which string, args ...any) (page []store.Entry, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT t.key, t.version, t.value, t.until FROM `+s.table+` AS t WHERE `+live+which, append([]any{s.time()}, args...)...)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		var e store.Entry
		var until sql.NullTime
		if err := rows.Scan(&e.Key, &e.Version, &e.Value, &until); err != nil {
			return nil, s.failed(err)
		}
		e.Until = until.Time
		if e, err = e.Checked(); err != nil {
			return nil, fmt.Errorf("%w: %w; correct the row", store.ErrDamaged, err)
		}
		if size += len(e.Value); size > store.MaxListBytes && len(page) > 0 {
			return page, nil
		}
		page = append(page, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.failed(err)
	}
	return page, nil
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, e store.Entry) (store.Version, error) {
	next, err := e.Checked()
	if err := s.check(err); err != nil {
		return store.Absent, err
	}
	text := `UPDATE ` + s.table + ` AS t SET version = $3, value = $4, until = $5 WHERE t.key = $2 AND ` + live + ` AND t.version = $6`
	v := store.NewVersion()
	args := []any{e.Key, string(v), string(next.Value), sql.NullTime{Time: next.Until, Valid: !next.Until.IsZero()}, string(e.Version)}
	if e.Version == store.Absent {
		text = `INSERT INTO ` + s.table + ` AS t (key, version, value, until) VALUES ($2, $3, $4, $5)
			ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value, until = excluded.until WHERE ` + ended
		args = args[:4]
	}
	return v, s.change(ctx, e.Key, e.Version, text, args...)
}

// Delete implements store.Store.
func (s *Store) Delete(ctx context.Context, key string, v store.Version) error {
	if err := s.check(store.CheckKey(key, 1)); err != nil {
		return err
	}
	return s.change(ctx, key, v, `DELETE FROM `+s.table+` AS t WHERE t.key = $2 AND `+live+` AND t.version = $3`, key, string(v))
}

// change runs a statement that changes one row. If it changes none, the row does not have version v, which is a conflict.
func (s *Store) change(ctx context.Context, key string, v store.Version, text string, args ...any) error {
	n, err := s.exec(ctx, text, args...)
	if err == nil && n == 0 {
		return store.Conflict(key, v)
	}
	return err
}

// Sweep implements store.Store.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	if err := s.check(nil); err != nil {
		return 0, err
	}
	return s.exec(ctx, `DELETE FROM `+s.table+` AS t WHERE `+ended)
}

// exec runs a statement in a transaction of its own. If the statement was sent but not answered, its outcome is unknown: store.ErrUnknown.
func (s *Store) exec(ctx context.Context, text string, args ...any) (changed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	res, err := s.db.ExecContext(ctx, text, append([]any{s.time()}, args...)...)
	if err == nil {
		n, err := res.RowsAffected()
		return int(n), err
	}
	failed := s.failed(err)
	_, answered := errors.AsType[*pgconn.PgError](err)
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	if answered || unconnected || errors.Is(failed, store.ErrClosed) || pgconn.SafeToRetry(err) {
		return 0, failed
	}
	return 0, fmt.Errorf("%w: %w", store.ErrUnknown, err)
}

// Close implements store.Store.
func (s *Store) Close() error {
	if s == nil || s.db == nil {
		return store.ErrClosed
	}
	return s.db.Close()
}
