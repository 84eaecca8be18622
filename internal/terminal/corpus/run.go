package corpus

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/terminal"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// tools makes one tool for every principal of a database of the app, at least two.
func tools(t *testing.T, e tu.Engine, app terminal.App) map[int64]*codemode.Tool {
	t.Helper()
	out := toolsOf(t, e, app)
	if len(out) < 2 {
		t.Fatalf("%s has %d principals: too few to tell them apart", app.Name, len(out))
	}
	return out
}

func toolsOf(t *testing.T, e tu.Engine, app terminal.App) map[int64]*codemode.Tool {
	t.Helper()
	ctx := context.Background()
	db := e.OpenWith(t, &exosql.Options{Setup: app.Setup})
	all, err := app.Principals(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int64]*codemode.Tool{}
	for _, p := range all {
		tool, err := codemode.New(app.Grants(db, p.ID), nil)
		if err != nil {
			t.Fatal(err)
		}
		out[p.ID] = tool
	}
	return out
}

// Outcomes runs every program as the one it is written for on each engine, and compares.
func Outcomes(t *testing.T, app terminal.App, programs []*Program) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		by := tools(t, e, app)
		for _, p := range programs {
			t.Run(strings.TrimSuffix(p.Name, ".js"), func(t *testing.T) {
				tool := by[p.As]
				if tool == nil {
					t.Fatalf("there is no %s %d", app.Who, p.As)
				}
				Check(t, p, tool.Run(context.Background(), p.Source))
			})
		}
	})
}

// Isolation runs every program as everybody, on a database in which mark has
// written a canary into each row: nothing that leaves may hold the canary of
// somebody else. mark is SQL; canary gives the text for a principal.
//
// It has its own twin: everybody's own canary must have been seen, or the rows
// were never marked.
func Isolation(t *testing.T, app terminal.App, programs []*Program, mark string, canary func(id int64) string) {
	app.Seed += mark
	by := tools(t, tu.SQLite, app)
	seen := map[int64]int{}
	for _, p := range programs {
		for id, tool := range by {
			out := Everything(tool.Run(context.Background(), p.Source))
			for other := range by {
				if !strings.Contains(out, canary(other)) {
					continue
				}
				if seen[other]++; other != id {
					t.Errorf("%s as %s %d shows a row of %d:\n%s", p.Name, app.Who, id, other, out)
				}
			}
		}
	}
	for id := range by {
		if seen[id] < len(programs)/4 {
			t.Errorf("%s %d saw its own canary in %d of %d programs: the rows are not marked", app.Who, id, seen[id], len(programs))
		}
	}
}

// Alone runs every program as everybody, with the rows of all others there and
// with them gone: nothing that leaves may differ. So no count, no order and no
// error depends on what belongs to somebody else. only is SQL that leaves one
// principal's rows.
func Alone(t *testing.T, app terminal.App, programs []*Program, only func(id int64) string) {
	for id, among := range tools(t, tu.SQLite, app) {
		less := app
		less.Seed += only(id)
		by := toolsOf(t, tu.SQLite, less)
		if len(by) != 1 || by[id] == nil {
			t.Fatalf("%d principals are left, not %s %d alone", len(by), app.Who, id)
		}
		for _, p := range programs {
			with, without := Everything(among.Run(context.Background(), p.Source)), Everything(by[id].Run(context.Background(), p.Source))
			if with != without {
				t.Errorf("%s as %s %d depends on the rows of others: with them\n%s\nwithout\n%s", p.Name, app.Who, id, with, without)
			}
		}
	}
}

// Everything is all that leaves a run.
func Everything(res *codemode.Result) string {
	s := string(res.JSON) + "\n" + res.Console + "\n" + res.Notice
	if res.Err != nil {
		s += "\n" + exo.GuestText(res.Err) + "\n" + exo.PosOf(res.Err).Text
	}
	return s
}
