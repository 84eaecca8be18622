package proof

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// server is where the worlds of a test are on PostgreSQL: one schema, filled
// anew for each world.
type server struct {
	url, schema string
	admin       *sql.DB
	deadlocks   int // how often fill had to begin again
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{url: tu.Postgres.URL(t), admin: tu.Admin(t, tu.Server(t))}
	_, s.schema, _ = strings.Cut(s.url, "search_path=")
	s.schema, _, _ = strings.Cut(s.schema, "&")
	s.url = tu.WithParam(t, s.url, "enable_seqscan", "off") // of a few rows it would use no index
	s.url = tu.WithParam(t, s.url, "jit", "off")            // what is off costs so much that each statement would be compiled
	return s
}

// fill makes the schema hold the world of c and nothing else, in one round trip. A query of the
// world before whose client gave it up may still be locking the tables that go: the server ends
// one of the two, and if that was fill it fills once more.
func (s *server) fill(ctx context.Context, c *Case) error {
	return s.make(ctx, c.Data.script(&c.Schema))
}

// make runs a script in a schema that is empty.
func (s *server) make(ctx context.Context, script string) error {
	script = "BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL client_min_messages = error; SET LOCAL timezone = 'UTC'; DROP SCHEMA " + s.schema + " CASCADE; CREATE SCHEMA " + s.schema + "; SET LOCAL search_path = " + s.schema + ";\n" +
		script + "COMMIT"
	conn, err := s.admin.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	const deadlock = "40P01"
	for range 3 {
		_, err = conn.ExecContext(ctx, script)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != deadlock {
			break
		}
		s.deadlocks++
		if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
			return err
		}
	}
	return err
}

// A world is filled although a query that nobody waits for any more holds its tables.
func TestFillAfterDeadlock(t *testing.T) {
	ctx := context.Background()
	s := newServer(t)
	c := genWorld(fromSeed(1, 1))
	if err := s.fill(ctx, c); err != nil {
		t.Fatal(err)
	}
	a, b := c.Schema.Tables[0], c.Schema.Tables[len(c.Schema.Tables)-1]
	for _, tables := range [][2]Table{{a, b}, {b, a}} { // one is not the order in which DROP goes
		other, err := s.admin.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func(table Table) {
			if _, err := other.ExecContext(ctx, "SELECT 1 FROM "+s.schema+"."+quoteName(tableNames[table.Name])+" LIMIT 1"); err != nil {
				t.Error(err)
			}
		}
		if _, err := other.ExecContext(ctx, "SET LOCAL deadlock_timeout = '1min'"); err != nil { // so it is not the one that is given up
			t.Fatal(err)
		}
		read(tables[0])
		filled := make(chan error, 1)
		go func() { filled <- s.fill(ctx, c) }()
		for waits := false; !waits; {
			if err := s.admin.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass)", s.schema+"."+quoteName(tableNames[tables[0].Name])).Scan(&waits); err != nil {
				t.Fatal(err)
			}
		}
		read(tables[1])
		other.Rollback()
		if err := <-filled; err != nil {
			t.Error(err)
		}
	}
	if s.deadlocks == 0 {
		t.Error("nothing was in its way")
	}
}
