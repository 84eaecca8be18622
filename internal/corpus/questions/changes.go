package questions

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// A question of a clerk asks for a change. Its SQL defines the state of the database afterwards:
//
//	Reopen task 3, I closed it too early.
//	-- before --                 (what was done before, if it matters)
//	UPDATE tasks SET status = 'done' WHERE id = 3
//	-- after --
//	UPDATE tasks SET status = 'todo' WHERE id = 3
//
// The rest of the file is as for other questions. A right or mended program leaves the same tables
// and rows as this SQL; a wrong program leaves everything as it was.

// Changes asks for every change on each engine. given lists columns, as table.column, whose cells the database chooses, such as the number of
// a new row. These are not compared.
func Changes(t *testing.T, app corpus.App, questions []*Question, given ...string) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		s := openState(t, app, e, given)
		for _, q := range questions {
			t.Run(q.Name, func(t *testing.T) {
				tool, err := codemode.New(app.Grants(s.db, q.As), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				s.ask(t, q, tool)
			})
		}
	})
}

// state is a database that programs change. Tests read it without going through grants.
type state struct {
	engine tu.Engine
	db     *exosql.DB
	raw    *sql.DB
	tables []*schema.Table
	given  []string
	seed   string
}

func openState(t *testing.T, app corpus.App, e tu.Engine, given []string) *state {
	t.Helper()
	s := &state{engine: e, given: given}
	url := s.url(t)
	s.db, s.raw = e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(app.In(e))}), e.SQLDB(t, url)
	s.raw.SetMaxOpenConns(1)
	live, err := s.db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.tables = live.Tables
	for _, x := range s.tables {
		s.exec(t, s.raw, "CREATE TABLE seed_"+x.Name.Name+" AS SELECT * FROM "+x.Name.Name)
	}
	s.seed = s.look(t, s.raw)
	return s
}

// url returns the URL of a fresh database. No commit waits for a disk, because nothing has to outlive the test.
func (s *state) url(t *testing.T) string {
	t.Helper()
	if s.engine.Name == tu.Postgres.Name {
		return tu.WithParam(t, s.engine.URL(t), "synchronous_commit", "off")
	}
	dir, err := os.MkdirTemp("/dev/shm", "exo")
	if err != nil {
		return s.engine.URL(t)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return "sqlite:" + filepath.Join(dir, "test.db")
}

// querier is a database, or a transaction of it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *state) exec(t *testing.T, db querier, text string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// look returns every cell of the database, except those that the database chose itself.
func (s *state) look(t *testing.T, db querier) string {
	t.Helper()
	var out strings.Builder
	for _, x := range s.tables {
		var cols []string
		for _, c := range x.Columns {
			if !slices.Contains(s.given, x.Name.Name+"."+c.Name) {
				cols = append(cols, c.Name)
			}
		}
		rows, err := db.QueryContext(context.Background(), "SELECT "+strings.Join(cols, ", ")+" FROM "+x.Name.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var all []string
		for rows.Next() {
			cells, to := make([]sql.NullString, len(cols)), make([]any, len(cols))
			for i := range cells {
				to[i] = &cells[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			line := x.Name.Name
			for i, c := range cells {
				if c.Valid {
					line += fmt.Sprintf(" %s=%q", cols[i], c.String)
				}
			}
			all = append(all, line)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		out.WriteString(strings.Join(all, "\n") + "\n")
	}
	return out.String()
}

// restore undoes what programs changed.
func (s *state) restore(t *testing.T) {
	t.Helper()
	text := s.engine.Pick("BEGIN;", "BEGIN; SET LOCAL session_replication_role = replica;")
	for _, x := range s.tables {
		text += fmt.Sprintf(" DELETE FROM %s; INSERT INTO %[1]s SELECT * FROM seed_%[1]s;", x.Name.Name)
	}
	s.exec(t, s.raw, text+" COMMIT")
}

func (s *state) ask(t *testing.T, q *Question, tool *codemode.Tool) {
	tx, err := s.raw.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if q.Before != "" {
		s.exec(t, tx, q.Before)
	}
	before := s.look(t, tx)
	s.exec(t, tx, q.SQL)
	want := s.look(t, tx)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if want == before {
		t.Fatal("the question's SQL changes nothing, so most wrong programs would count as right")
	}
	run := func(code string) (*codemode.Result, string) {
		if q.Before != "" {
			s.exec(t, s.raw, q.Before)
		}
		res := tool.Run(context.Background(), code)
		now := s.look(t, s.raw)
		if now != s.seed {
			s.restore(t)
		}
		return res, now
	}
	right := func(what, code string) {
		res, now := run(code)
		if res.Err != nil {
			t.Errorf("%s: %d:%d %s\n%s", what, fail.PosOf(res.Err).Line, fail.PosOf(res.Err).Column, fail.GuestText(res.Err), code)
		} else if now != want {
			t.Errorf("%s\n%s\n%s\nleaves\n%sand not\n%s", q.Asked, what, code, beside(now, want), beside(want, now))
		}
	}
	for _, p := range q.Right {
		right("right, "+p.Manner, p.Code)
	}
	for _, w := range q.Wrong {
		res, now := run(w.Code)
		got := failure(res, w.Notice)
		switch {
		case got == "":
			t.Errorf("wrong, %s: it does not fail\n%s", w.Manner, w.Code)
		case got != w.Fails && *update:
			q.rewrite(t, w.Code+"\n-- "+ending(w)+" --\n"+w.Fails+"\n", w.Code+"\n-- "+ending(w)+" --\n"+got+"\n")
		case got != w.Fails:
			t.Errorf("wrong, %s:\n%s\nfails with\n%s\nand not\n%s", w.Manner, w.Code, got, w.Fails)
		}
		if now != before {
			t.Errorf("wrong, %s:\n%s\nleaves\n%s", w.Manner, w.Code, beside(now, before))
		}
		if !names(got, w.Code, w.Mended) {
			t.Errorf("wrong, %s: the error does not name what mends it\n%s\n%s\n%s", w.Manner, w.Code, got, w.Mended)
		}
		right("mended, "+w.Manner, w.Mended)
	}
}

// beside returns the lines of one state that the other lacks.
func beside(one, other string) (out string) {
	there := strings.Split(other, "\n")
	for line := range strings.Lines(one) {
		if !slices.Contains(there, strings.TrimSuffix(line, "\n")) {
			out += line
		}
	}
	return out
}
