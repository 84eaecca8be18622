package limits_test

import (
	"context"
	"database/sql"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPooler: a pool in transaction mode is used without a trace: what others write by the same pool is written as before. What it can't carry is
// refused, as is statement mode, before anything is set. The twin sets one of the settings of a connection of our own.
func TestPooler(t *testing.T) {
	server := tu.Server(t)
	for _, mode := range []string{"transaction", "statement", "session"} {
		for _, size := range []int{1, 2, 20} {
			if mode == "session" && size == 1 {
				size = 12 // of one session, the others' would be the only one
			}
			url := tu.PgBouncer(t, server, mode, size)
			other, err := sql.Open("pgx", tu.WithParam(t, url, "default_query_exec_mode", "exec"))
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			writes := func() error {
				_, err := other.Exec("CREATE TABLE exo_pooler (x int)")
				if err == nil {
					_, err = other.Exec("DROP TABLE exo_pooler")
				}
				return err
			}
			if err := writes(); err != nil {
				t.Fatal(err)
			}
			opts := []*exosql.OpenOptions{nil, {Setup: func(ctx context.Context, db *sql.DB) error {
				_, err := db.ExecContext(ctx, "SET default_transaction_read_only = on")
				return err
			}}}
			for i, opt := range opts {
				db, err := exosql.Open(t.Context(), url, opt)
				if err == nil {
					db.Close()
				}
				switch {
				case mode == "session" || mode == "transaction" && i == 0:
					if err != nil {
						t.Errorf("%s of %d, %d: %v", mode, size, i, err)
					}
				case fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "session mode") || mode == "transaction" && !strings.Contains(err.Error(), "OpenOptions.Setup"):
					t.Errorf("%s of %d, %d: %v", mode, size, i, err)
				}
				if err := writes(); err != nil {
					t.Errorf("%s of %d, %d: others can't write: %v", mode, size, i, err)
				}
			}
			if mode != "transaction" {
				continue
			}
			twin, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer twin.Close(context.Background())
			if _, err := twin.PgConn().Exec(t.Context(), "SELECT set_config('default_transaction_read_only', 'on', false)").ReadAll(); err != nil {
				t.Fatal(err)
			}
			if writes() == nil {
				t.Error("the setting does not keep others from writing")
			}
		}
	}
}

// TestPoolerCarries: settings of a URL are carried into each transaction, though PgBouncer takes none of them when a connection begins. Hooks of sessions
// and what can't be carried are refused by name.
func TestPoolerCarries(t *testing.T) {
	direct := tu.Postgres.URL(t)
	tu.Postgres.OpenURL(t, direct, &exosql.OpenOptions{Setup: tu.Postgres.Fill()})
	path := tu.Param(t, direct, "search_path")
	for _, mode := range []string{"transaction", "session", "statement"} {
		url := tu.PgBouncer(t, direct, mode, 20)
		db, err := exosql.Open(t.Context(), tu.WithParam(t, url, "search_path", path), nil)
		if mode == "statement" {
			if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "statement mode") {
				t.Errorf("%s: %v", mode, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		defer db.Close()
		if n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(t.Context()); n != 3 || err != nil {
			t.Errorf("%s: %d rows, %v", mode, n, err)
		}
		if err := exosql.Check(t.Context(), db, tu.Tags); err != nil {
			t.Errorf("%s: the catalogue: %v", mode, err)
		}
	}
	url := tu.PgBouncer(t, direct, "transaction", 2, "ignore_startup_parameters = options")
	if _, err := exosql.Open(t.Context(), tu.WithParam(t, url, "options", "-c search_path="+path), nil); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "options=") {
		t.Errorf("options: %v", err)
	}
	conf, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	conf.AfterConnect = func(context.Context, *pgx.Conn) error { t.Error("AfterConnect is called"); return nil }
	if _, err := exosql.OpenPostgres(t.Context(), conf, nil); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "AfterConnect") {
		t.Errorf("AfterConnect: %v", err)
	}
}

// TestPoolerRenames: where a pooler gives prepared statements names of its own, as PgBouncer does from 1.21 with max_prepared_statements, plans can't be
// judged, so they have fences. The results are the same.
func TestPoolerRenames(t *testing.T) {
	direct := tu.Postgres.URL(t)
	tu.Postgres.OpenURL(t, direct, &exosql.OpenOptions{Setup: tu.Postgres.Exec(kit.NotesSQL(tu.Postgres, 2000, "CREATE INDEX notes_owner ON notes (owner)", "ANALYZE")...)})
	pool := tu.Pooled(t, direct, 2)
	var shown []string
	for _, renames := range []bool{false, true} {
		url := pool
		if renames {
			url = renaming(t, pool)
		}
		db := tu.Postgres.OpenURL(t, url, nil)
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		o := r.Run(t, "return (await notes.where(n => n.due > 1).orderBy(n => n.code).limit(3).execute()).length")
		if o.JSON != "3" || len(o.SQL) != 1 {
			t.Errorf("renames %t: %s", renames, o)
		}
		if shown = append(shown, o.SQL[0].SQL); renames && shown[0] == shown[1] {
			t.Error("renamed statements run by the judged form: " + shown[1])
		}
		costly, err := exosql.Open(t.Context(), url, &exosql.OpenOptions{PlanCost: 1e6})
		if err == nil {
			costly.Close()
		}
		if renames != (fail.KindOf(err) == fail.Invalid && strings.Contains(err.Error(), "max_prepared_statements")) {
			t.Errorf("renames %t, with PlanCost: %v", renames, err)
		}
	}
}

// renaming passes messages on to a pooler, and gives prepared statements other names.
func renaming(t *testing.T, pool string) string {
	u, err := url.Parse(pool)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	other := func(name string) string {
		if name == "" {
			return ""
		}
		return "renamed_" + name
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				up, err := net.Dial("tcp", u.Host)
				if err != nil {
					return
				}
				defer up.Close()
				client, server := pgproto3.NewBackend(c, c), pgproto3.NewFrontend(up, up)
				first, err := client.ReceiveStartupMessage()
				if err != nil {
					return
				}
				server.Send(first)
				if server.Flush() != nil {
					return
				}
				go func() { _, _ = io.Copy(c, up); c.Close() }()
				for {
					m, err := client.Receive()
					if err != nil {
						return
					}
					switch m := m.(type) {
					case *pgproto3.Parse:
						m.Name = other(m.Name)
					case *pgproto3.Bind:
						m.PreparedStatement = other(m.PreparedStatement)
					case *pgproto3.Describe:
						if m.ObjectType == 'S' {
							m.Name = other(m.Name)
						}
					case *pgproto3.Close:
						m.Name = other(m.Name)
					}
					if server.Send(m); server.Flush() != nil {
						return
					}
				}
			}()
		}
	}()
	to := *u
	to.Host = l.Addr().String()
	return to.String()
}
