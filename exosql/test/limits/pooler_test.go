package limits_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPooler: where sessions are shared, whoever opens is refused before it has set anything, so what others write by the same pool
// is written as before; also where hooks and Setup of the host come first. The twin sets one of the settings of our connections.
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
				case mode == "session" && err != nil:
					t.Errorf("%s, %d: %v", mode, i, err)
				case mode != "session" && (fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "session mode")):
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
