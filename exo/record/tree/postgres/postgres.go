// Package postgres keeps a Merkle log of package tree in tables of PostgreSQL 14 or later. Processes on several machines can share a log and its signing key.
//
// An operator makes the tables once, by [Create] (exo record init), as a role that may make tables. At run time a role needs only the [Rights] to read
// and to add rows. Only erasing needs the right to delete keys. Statements prepare nothing and set nothing outside their transaction, so a pooler may
// share sessions (PgBouncer in transaction mode).
//
// exo_record_lines has the leaf of each entry with its encrypted payload, and the checkpoints, like the segments of a folder. The data keys are in
// exo_record_keys, so that erasing deletes them there without changing a hash. A deleted key is still in the table's file until VACUUM, in the
// server's write-ahead log and in backups.
//
// A group of entries is one transaction with an advisory lock, and ends in a signed checkpoint. So no entry in the table is ever unsigned, and a row
// that an attacker without the key adds is never signed. A process that stops while it has the lock loses it within a minute.
package postgres

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/internal/pgsession"
)

// SQL has the statements that make the tables, for an operator to read and run.
//
//go:embed tables.sql
var SQL string

// Rights has the statements that give a role of the host its rights; an operator replaces … by the name of the role.
const Rights = `  GRANT SELECT ON exo_record_about, exo_record_lines, exo_record_keys TO …;
  GRANT INSERT ON exo_record_lines, exo_record_keys TO …;
  GRANT SELECT, INSERT, UPDATE ON exo_record_cosigned TO …; -- only for a witness over HTTP
  GRANT DELETE ON exo_record_keys TO …; -- only for exo record erase and keep`

// Table is the tables of a log in a database. Make it with Connect.
type Table struct {
	conf *pgx.ConnConfig
	mu   sync.Mutex
	idle *pgx.Conn // a connection that is not in use; nil: none
}

var _ tree.Table = (*Table)(nil)

// Connect makes the Table of a URL. It connects only when a connection is first needed.
func Connect(url string) (*Table, error) {
	conf, err := pgx.ParseConfig(url)
	if err != nil { // the text of err is left out: it quotes the URL, which may have a password
		return nil, errors.New("the PostgreSQL URL of the record can't be read: want postgres://user@host:port/database")
	}
	conf.DefaultQueryExecMode = pgx.QueryExecModeExec // this mode prepares no statements, which a pooler may lose
	conf.ConnectTimeout = cmp.Or(conf.ConnectTimeout, 10*time.Second)
	conf.StatementCacheCapacity, conf.DescriptionCacheCapacity = 0, 0
	return &Table{conf: conf}, nil
}

// Create makes the tables, and a log in them. The role in the URL must be allowed to make tables.
func Create(ctx context.Context, url string, a tree.About, private tree.SigningKey) error {
	t, err := Connect(url)
	if err != nil {
		return err
	}
	return tree.CreateShared(a, private, func(about []byte, first tree.Row) error {
		return t.apart(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, SQL, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			if tag, err := tx.Exec(ctx, "INSERT INTO exo_record_about (about) VALUES ($1) ON CONFLICT DO NOTHING", string(about)); err != nil {
				return err
			} else if tag.RowsAffected() == 0 {
				return errors.New("the database already has a record: use another database")
			}
			b := &pgx.Batch{}
			queue(b, []tree.Row{first})
			return tx.SendBatch(ctx, b).Close()
		})
	})
}

// Open opens a log for appending. The role must not have synchronous_commit off, since a loss of power could undo acknowledged entries.
func Open(ctx context.Context, url string, private tree.SigningKey, opt *tree.SharedOptions) (*tree.Shared, error) {
	t, err := Connect(url)
	if err != nil {
		return nil, err
	}
	pgsession.Primary(&t.conf.Config)
	err = t.apart(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var sync, role string
		err := tx.QueryRow(ctx, "SELECT current_setting('synchronous_commit'), quote_ident(current_user)").Scan(&sync, &role)
		if err == nil && sync == "off" {
			err = fmt.Errorf("synchronous_commit is off, so an entry could be lost after it was acknowledged: ALTER ROLE %s SET synchronous_commit = on", role)
		}
		return err
	})
	var l *tree.Shared
	if err == nil {
		l, err = tree.OpenShared(ctx, t, private, opt)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return l, nil
}

// failed explains an error of the database.
func failed(err error) error {
	pg, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return nil
	case answered && pg.Code == "42P01":
		return fmt.Errorf("the database has no record; exo record init makes one: %w", err)
	case answered && pg.Code == "55P03":
		return fmt.Errorf("another process has locked the record for 10 seconds: try again, and end that process if the lock stays: %w", err)
	}
	return err
}

// lost reports whether an error leaves the outcome unknown: the server has not answered, or has ended the session.
func lost(err error) bool {
	pg, answered := errors.AsType[*pgconn.PgError](err)
	return !answered || pg.Severity == "FATAL" || pg.Severity == "PANIC"
}

// take returns a connection that is not in use.
func (t *Table) take(ctx context.Context) (*pgx.Conn, error) {
	t.mu.Lock()
	conn := t.idle
	t.idle = nil
	t.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	return pgx.ConnectConfig(ctx, t.conf)
}

// put takes a connection back, after its transaction has ended.
func (t *Table) put(conn *pgx.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle == nil && !conn.IsClosed() && conn.PgConn().TxStatus() == 'I' {
		t.idle = conn
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server rolls back changes that are not committed
}

// apart runs a transaction that is not part of a Group.
func (t *Table) apart(ctx context.Context, opt pgx.TxOptions, do func(pgx.Tx) error) error {
	conn, err := t.take(ctx)
	if err != nil {
		return err
	}
	defer t.put(conn)
	return failed(pgx.BeginTxFunc(ctx, conn, opt, do))
}

// About implements tree.Table.
func (t *Table) About(ctx context.Context) (about []byte, err error) {
	err = t.apart(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "SELECT about FROM exo_record_about").Scan(&about)
		if errors.Is(err, pgx.ErrNoRows) {
			err = errors.New("the database has no record; exo record init makes one")
		}
		return err
	})
	return about, err
}

// page is how many rows Rows reads with one statement.
const page = 1000

// Rows implements tree.Table. Its transaction reads one snapshot.
func (t *Table) Rows(ctx context.Context, from int64, sealed bool) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		stopped := errors.New("stopped")
		err := t.apart(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			number, kind := int64(-1), -1
			if err := tx.QueryRow(ctx, "SELECT coalesce((SELECT number FROM exo_record_lines WHERE $1::bigint > 0 AND kind = 0 AND number <= $1 ORDER BY number DESC LIMIT 1), -1)", from).Scan(&number); err != nil {
				return err
			}
			for n := page; n == page; {
				rows, err := tx.Query(ctx, `SELECT l.number, l.kind, coalesce(l.run, $4::uuid), l.line, CASE WHEN $5::bool THEN l.sealed END, k.key, l.at FROM exo_record_lines AS l
					LEFT JOIN exo_record_keys AS k ON k.number = l.number AND l.kind = 1
					WHERE (l.number, l.kind) > ($1::bigint, $2::smallint) ORDER BY l.number, l.kind LIMIT $3::int`, number, kind, page, tree.Run{}.String(), sealed)
				if err != nil {
					return err
				}
				for n = 0; rows.Next(); n++ {
					var r tree.Row
					if err := rows.Scan(&number, &kind, (*[16]byte)(&r.Run), &r.Line, &r.Sealed, &r.Key, &r.At); err != nil {
						return err
					}
					if r.Number, r.Checkpoint = number, kind == 0; !yield(r, nil) {
						rows.Close()
						return stopped
					}
				}
				if err := rows.Err(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(tree.Row{}, err)
		}
	}
}

// list returns the entries that a query finds. The query must return the columns number, run, line and key.
func (t *Table) list(ctx context.Context, text string, args ...any) (list []tree.Row, err error) {
	err = t.apart(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, text, args...)
		if err == nil {
			list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r tree.Row, err error) {
				err = row.Scan(&r.Number, (*[16]byte)(&r.Run), &r.Line, &r.Key)
				return r, err
			})
		}
		return err
	})
	return list, err
}

// Keyed implements tree.Table.
func (t *Table) Keyed(ctx context.Context, from int64, most int) ([]tree.Row, error) {
	return t.list(ctx, `SELECT k.number, coalesce(l.run, $3::uuid), coalesce(l.line, ''), k.key FROM (SELECT * FROM exo_record_keys WHERE number >= $1 ORDER BY number LIMIT $2::int) AS k
		LEFT JOIN exo_record_lines AS l ON l.number = k.number AND l.kind = 1 ORDER BY k.number`, from, most, tree.Run{}.String())
}

// OfRuns implements tree.Table.
func (t *Table) OfRuns(ctx context.Context, runs []tree.Run) ([]tree.Row, error) {
	return t.list(ctx, `SELECT l.number, l.run, l.line, k.key FROM (SELECT number, run, line FROM exo_record_lines WHERE run = ANY($1::text[]::uuid[])
		UNION ALL SELECT number, run, line FROM exo_record_lines WHERE line LIKE '%"of":"%' AND substring(line from '"of":"([0-9a-f]{32})"') = ANY($1::text[])) AS l
		LEFT JOIN exo_record_keys AS k ON k.number = l.number ORDER BY l.number`, texts(runs))
}

// Cosigned implements tree.Table.
func (t *Table) Cosigned(ctx context.Context) (text string, err error) {
	err = t.apart(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT coalesce((SELECT cosigned FROM exo_record_cosigned), '')").Scan(&text)
	})
	return text, err
}

// KeepCosigned implements tree.Table.
func (t *Table) KeepCosigned(ctx context.Context, size int64, text string) error {
	return t.apart(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO exo_record_cosigned (size, cosigned) VALUES ($1, $2)
			ON CONFLICT (one) DO UPDATE SET size = excluded.size, cosigned = excluded.cosigned WHERE exo_record_cosigned.size < excluded.size`, size, text)
		return err
	})
}

// lockKey is the SQL for the key of a log's advisory lock, derived from its table.
const lockKey = "hashtextextended('exo_record', 'exo_record_lines'::regclass::oid::bigint)"

// lockWait is how long a group waits for the lock. A session that has the lock in a transaction older than stuck is ended (see endStuck).
var lockWait, stuck = 10 * time.Second, 30 * time.Second

// endStuck ends the session that has the lock, if its transaction is too old. No timeout of the server ends a session when its client stops while
// it sends rows. If the client still lives, it loses its connection, and then checks whether its group was committed.
const endStuck = `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
	WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = ` + lockKey + `
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND a.xact_start < clock_timestamp() - make_interval(secs => $1::float8)`

// Group implements tree.Table. It makes two round trips to the server.
func (t *Table) Group(ctx context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	conn, err := t.take(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", tree.ErrLost, err) // nothing was sent, so the caller may try again
	}
	defer t.put(conn)
	refused := false
	err = group(ctx, conn, sizes, runs, func(s tree.State) (rows []tree.Row, err error) {
		rows, err = next(s)
		refused = err != nil
		return rows, err
	})
	if err == nil {
		return nil
	}
	if refused {
		_, _ = conn.Exec(ctx, "ROLLBACK") // if the rollback fails, put closes the connection
		return err
	}
	if pg, answered := errors.AsType[*pgconn.PgError](err); answered && pg.Code == "55P03" {
		_, err2 := conn.Exec(ctx, "ROLLBACK")
		if err2 == nil {
			_, _ = conn.Exec(ctx, endStuck, stuck.Seconds()) // this fails for the session of another role, which then keeps the lock
		}
	}
	if !lost(err) { // put closes the connection of a failed transaction: a new one may reach a server that is not read-only
		return failed(err)
	}
	return fmt.Errorf("%w: %w", tree.ErrLost, err)
}

func group(ctx context.Context, conn *pgx.Conn, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	s := tree.State{Checkpoints: map[int64]string{}, Last: map[tree.Run]tree.Last{}}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // at this level each statement after the lock sees everything that was committed before it
	b.Queue("SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', '10s', true)", strconv.Itoa(int(lockWait.Milliseconds())))
	b.Queue("SELECT pg_advisory_xact_lock(" + lockKey + ")")
	b.Queue("SELECT number, kind = 0, line FROM exo_record_lines ORDER BY number DESC, kind DESC LIMIT 1").QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&s.Head.Number, &s.Head.Checkpoint, &s.Head.Line); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	b.Queue("SELECT number, line FROM exo_record_lines WHERE kind = 0 AND number = ANY($1::bigint[])", sizes).Query(func(rows pgx.Rows) error {
		var size int64
		var line string
		_, err := pgx.ForEachRow(rows, []any{&size, &line}, func() error { s.Checkpoints[size] = line; return nil })
		return err
	})
	b.Queue(`SELECT r, l.line, extract(epoch FROM clock_timestamp() - l.at)::float8 FROM unnest($1::text[]::uuid[]) AS r
		CROSS JOIN LATERAL (SELECT line, at FROM exo_record_lines WHERE run = r ORDER BY number DESC LIMIT 1) AS l`, texts(runs)).Query(func(rows pgx.Rows) error {
		var run [16]byte
		var last tree.Last
		_, err := pgx.ForEachRow(rows, []any{&run, &last.Leaf, &last.Seconds}, func() error { s.Last[run] = last; return nil })
		return err
	})
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	rows, err := next(s)
	if err != nil {
		return err
	}
	b = &pgx.Batch{}
	if len(rows) > 0 {
		queue(b, rows)
	}
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, b).Close()
}

func texts(runs []tree.Run) []string {
	list := make([]string, len(runs))
	for i, r := range runs {
		list[i] = r.String()
	}
	return list
}

// queue adds the statements that insert rows to a batch.
func queue(b *pgx.Batch, rows []tree.Row) {
	var numbers, with []int64
	var kinds []int16
	var runs, lines []string
	var sealed, keys [][]byte
	for _, r := range rows {
		kind, run := int16(1), r.Run.String()
		if r.Checkpoint {
			kind, run = 0, ""
		}
		numbers, kinds, runs, lines, sealed = append(numbers, r.Number), append(kinds, kind), append(runs, run), append(lines, r.Line), append(sealed, r.Sealed)
		if r.Key != nil {
			with, keys = append(with, r.Number), append(keys, r.Key)
		}
	}
	b.Queue(`INSERT INTO exo_record_lines (number, kind, run, line, sealed) SELECT n, k, nullif(r, '')::uuid, l, s
		FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[], $5::bytea[]) AS x(n, k, r, l, s)`, numbers, kinds, runs, lines, sealed)
	if len(keys) > 0 {
		b.Queue("INSERT INTO exo_record_keys (number, key) SELECT * FROM unnest($1::bigint[], $2::bytea[])", with, keys)
	}
}

// Silent implements tree.Table. In the table, the column open is set for the first entry of a run, and for entries with an unknown outcome.
func (t *Table) Silent(ctx context.Context, seconds, most int64) (leaves []string, err error) {
	err = t.apart(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT line FROM exo_record_lines WHERE run IN (
			SELECT a.run FROM (SELECT run, line FROM exo_record_lines WHERE open AND at <= now() - make_interval(secs => $1::bigint)
				ORDER BY at DESC LIMIT nullif($2::bigint, 0)) AS a
				CROSS JOIN LATERAL (SELECT line, at FROM exo_record_lines WHERE run = a.run ORDER BY number DESC LIMIT 1) AS z
				WHERE z.at <= now() - make_interval(secs => $1::bigint)
					AND (a.line LIKE '%"state":"unknown"%' OR z.line NOT LIKE '%"step":"ended"%'))
			ORDER BY number`, seconds, most)
		if err == nil {
			leaves, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return leaves, err
}

// Destroy implements tree.Table.
func (t *Table) Destroy(ctx context.Context, numbers []int64) (n int, err error) {
	err = t.apart(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "DELETE FROM exo_record_keys WHERE number = ANY($1::bigint[])", numbers)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

// Close implements tree.Table.
func (t *Table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle == nil {
		return nil
	}
	conn := t.idle
	t.idle = nil
	return conn.Close(context.Background())
}
