package corpus

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// App is a database with its grants for each user. Programs of a corpus run on it.
type App struct {
	Name     string
	SQL      string // SQL makes and fills the database
	Postgres string // Postgres is SQL in PostgreSQL's words; "" means the same text
	IDs      string // IDs is a query for the ids of the users who may act
	Grants   func(db *exosql.DB, id int64) codemode.Grants
}

// In returns the SQL that makes and fills the database on an engine.
func (a App) In(e tu.Engine) string { return e.Pick(a.SQL, cmp.Or(a.Postgres, a.SQL)) }

// Open opens a fresh database of the app, and returns the ids of its users.
func (a App) Open(t *testing.T, e tu.Engine) (db *exosql.DB, ids []int64) {
	t.Helper()
	db = e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		if err := e.Exec(a.In(e))(ctx, db); err != nil {
			return err
		}
		rows, err := db.QueryContext(ctx, a.IDs)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	}})
	return db, ids
}

// tools makes one tool for each user in a database of the app.
func tools(t *testing.T, e tu.Engine, app App) map[int64]*codemode.Tool {
	t.Helper()
	db, ids := app.Open(t, e)
	out := map[int64]*codemode.Tool{}
	for _, id := range ids {
		tool, err := codemode.New(app.Grants(db, id), &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		out[id] = tool
	}
	return out
}

// several is tools, but fails with fewer than two users, because no row of an only user could leak to another.
func several(t *testing.T, e tu.Engine, app App) map[int64]*codemode.Tool {
	t.Helper()
	out := tools(t, e, app)
	if len(out) < 2 {
		t.Fatalf("%s has %d users: at least two are needed to see a leak", app.Name, len(out))
	}
	return out
}

// Outcomes runs every program on each engine, as the user in its file, and compares the outcome.
func Outcomes(t *testing.T, app App, programs []*Program) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		by := several(t, e, app)
		for _, p := range programs {
			t.Run(strings.TrimSuffix(p.Name, ".js"), func(t *testing.T) {
				tool := by[p.As]
				if tool == nil {
					t.Fatalf("no user has the id %d", p.As)
				}
				Check(t, p, tool.Run(context.Background(), p.Source))
			})
		}
	})
}

// Isolation runs every program as each user. mark is SQL that writes a canary into each row, and canary returns the canary of a user. Nothing
// that leaves a run may contain another user's canary.
//
// The test checks itself: each user must see the user's own canary, or the rows were never marked.
func Isolation(t *testing.T, app App, programs []*Program, mark string, canary func(id int64) string) {
	app.SQL += mark
	by := several(t, tu.SQLite, app)
	seen := map[int64]int{}
	for _, p := range programs {
		for id, tool := range by {
			out := Everything(tool.Run(context.Background(), p.Source))
			for other := range by {
				if !strings.Contains(out, canary(other)) {
					continue
				}
				if seen[other]++; other != id {
					t.Errorf("%s as %d shows a row of %d:\n%s", p.Name, id, other, out)
				}
			}
		}
	}
	for id := range by {
		if seen[id] < len(programs)/4 {
			t.Errorf("%d saw its own canary in %d of %d programs: the rows are not marked", id, seen[id], len(programs))
		}
	}
}

// Alone runs every program as each user, with and without the rows of all other users. Nothing that leaves a run may differ, so no count,
// order or error depends on other users' rows. only is SQL that keeps one user's rows.
func Alone(t *testing.T, app App, programs []*Program, only func(id int64) string) {
	for id, among := range several(t, tu.SQLite, app) {
		less := app
		less.SQL += only(id)
		by := tools(t, tu.SQLite, less)
		if len(by) != 1 || by[id] == nil {
			t.Fatalf("%d users are left, not only user %d", len(by), id)
		}
		share := tu.OneIn(t, 2)
		for _, p := range programs {
			if !share.Next() {
				continue
			}
			one, other := among.Run(context.Background(), p.Source), by[id].Run(context.Background(), p.Source)
			if with, without := Everything(one), Everything(other); with != without {
				t.Errorf("%s as %d depends on the rows of others: with them\n%s\n%v\nwithout\n%s\n%v", p.Name, id, with, one.Err, without, other.Err)
			}
		}
	}
}

// Everything returns all texts that leave a run.
func Everything(res *codemode.Result) string {
	s := string(res.JSON) + "\n" + res.Console + "\n" + res.Notice
	if res.Err != nil {
		s += "\n" + fail.GuestText(res.Err) + "\n" + fail.PosOf(res.Err).Text
	}
	return s
}
