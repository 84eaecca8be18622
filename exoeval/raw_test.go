package exoeval_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dop251/goja"
	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/testutil"
)

// rawStore is what a host exposes who hands Go values to goja and pastes SQL:
// the world in which the attacks of testdata/attacks succeed.
type rawStore struct {
	Scope  string // a condition; exported, so a program can set it
	Secret string
	db     *sql.DB
}

func (s *rawStore) rows(q string) ([]map[string]any, error) {
	rs, err := s.db.Query(q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q, err)
	}
	defer rs.Close()
	names, _ := rs.Columns()
	out := []map[string]any{}
	for rs.Next() {
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rs.Scan(cells...); err != nil {
			return nil, err
		}
		m := map[string]any{}
		for i, n := range names {
			m[n] = *cells[i].(*any)
		}
		out = append(out, m)
	}
	return out, rs.Err()
}

// Find pastes a column, an operator and a value.
func (s *rawStore) Find(column, op, value string) ([]map[string]any, error) {
	return s.rows("SELECT id, title FROM tasks WHERE " + s.Scope + " AND " + column + " " + op + " '" + value + "'")
}

// Where pastes a condition.
func (s *rawStore) Where(cond string) ([]map[string]any, error) {
	return s.rows("SELECT id, title FROM tasks WHERE " + s.Scope + " AND " + cond)
}

// Select pastes the selection, OrderBy an order.
func (s *rawStore) Select(columns string) ([]map[string]any, error) {
	return s.rows("SELECT " + columns + " FROM members WHERE org_id = 1")
}

func (s *rawStore) OrderBy(order string) ([]map[string]any, error) {
	return s.rows("SELECT id FROM members WHERE org_id = 1 ORDER BY " + order)
}

// As pastes an alias, and Projects one that an inner query can capture.
func (s *rawStore) As(alias string) ([]map[string]any, error) {
	return s.rows("SELECT id, title FROM tasks AS " + alias + " WHERE " + s.Scope)
}

func (s *rawStore) Projects(alias string) ([]map[string]any, error) {
	return s.rows("SELECT (SELECT group_concat(project.name) FROM projects AS project JOIN orgs AS " + alias + " ON " + alias + ".id = project.org_id WHERE project.org_id = org.id) AS names FROM orgs AS org WHERE org.id = 1")
}

// Page caps with a limit that paging passes.
func (s *rawStore) Page(limit, offset int) ([]map[string]any, error) {
	return s.rows(fmt.Sprintf("SELECT id, title FROM tasks ORDER BY priority DESC, id LIMIT min(%d, 2) OFFSET %d", limit, offset))
}

// runRaw runs a program body in a bare goja: nothing checked, nothing taken away.
func runRaw(t *testing.T, program string) testutil.Outcome {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	if err := testutil.Fill(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	config := map[string]any{"limit": 2}
	api := map[string]any{
		"store":  &rawStore{Scope: "project_id IN (SELECT id FROM projects WHERE org_id = 1)", Secret: testutil.Hidden, db: db},
		"env":    func(string) string { return testutil.Hidden },
		"same":   func(v any) any { return v },
		"config": config,
		"limit":  func() any { return config["limit"] },
		"text":   func(v goja.Value) string { return v.String() + v.String() },
		"fail":   func() error { return fmt.Errorf("open %s: %s", "/etc/host/path", testutil.Hidden) },
		"file":   os.Args[0],
	}
	vm.Set("api", api)
	vm.Set("console", map[string]any{"log": func(...any) {}})
	time.AfterFunc(10*time.Second, func() { vm.Interrupt("too long") })
	v, err := vm.RunString("(async function (api) {\n" + program + "\n})(api)")
	if err != nil {
		return testutil.Outcome{Kind: fail.Program, Message: err.Error()}
	}
	p := v.Export().(*goja.Promise)
	switch p.State() {
	case goja.PromiseStatePending:
		return testutil.Outcome{Kind: fail.Program, Message: "pending"}
	case goja.PromiseStateRejected:
		return testutil.Outcome{Kind: fail.Program, Message: p.Result().String()}
	}
	stringify, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("stringify"))
	s, err := stringify(goja.Undefined(), p.Result())
	if err != nil {
		return testutil.Outcome{Kind: fail.Program, Message: err.Error()}
	}
	if goja.IsUndefined(s) {
		return testutil.Outcome{JSON: "null"}
	}
	return testutil.Outcome{JSON: s.String()}
}
