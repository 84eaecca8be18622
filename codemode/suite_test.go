package codemode_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The suite measures what a program costs beside the same statement prepared by
// hand on the same driver. `go run ./internal/bench` runs it in rounds.

// twoJoins is the query of the suite: organisation, projects, tasks; three columns; an order.
const twoJoins = `(api) => api.org
	.join(({ org }) => org.projects())
	.join(({ project }) => project.tasks())
	.select(({ project, task }) => ({ project: project.name, title: task.title, priority: task.priority }))
	.orderBy(({ task }) => task.id)
	.execute()`

// tenants are the organisations of the suite's database by how many tasks each has.
var tenants = []struct{ rows, org int }{{6, 1}, {50, 2}, {10_000, 3}}

const suiteTables = `
CREATE TABLE orgs (id BIGINT PRIMARY KEY, name TEXT NOT NULL, api_key TEXT NOT NULL);
CREATE TABLE projects (id BIGINT PRIMARY KEY, org_id BIGINT NOT NULL, lead_id BIGINT, name TEXT NOT NULL, budget DOUBLE PRECISION);
CREATE TABLE tasks (id BIGINT PRIMARY KEY, project_id BIGINT NOT NULL, assignee_id BIGINT, title TEXT NOT NULL, status TEXT NOT NULL, done BOOLEAN NOT NULL, priority BIGINT NOT NULL, due_at TEXT);
CREATE INDEX projects_org ON projects (org_id);
CREATE INDEX tasks_project ON tasks (project_id);
`

// fillSuite makes 56 and five times 10,000 tasks.
func fillSuite(exec func(statement string) error) error {
	if err := exec(suiteTables); err != nil {
		return err
	}
	task, project := 0, 0
	for org, size := range [][2]int{{3, 2}, {5, 10}, {100, 100}, {100, 100}, {100, 100}, {100, 100}, {100, 100}} {
		if err := exec(fmt.Sprintf("INSERT INTO orgs VALUES (%d, 'Organisation %[1]d', '')", org+1)); err != nil {
			return err
		}
		var projects, tasks []string
		for range size[0] {
			project++
			projects = append(projects, fmt.Sprintf("(%d, %d, NULL, 'Project %[1]d', NULL)", project, org+1))
			for range size[1] {
				task++
				tasks = append(tasks, fmt.Sprintf("(%d, %d, NULL, 'Task number %[1]d of many', 'open', FALSE, %d, NULL)", task, project, task%5))
			}
		}
		if err := errors.Join(exec("INSERT INTO projects VALUES "+strings.Join(projects, ",")), exec("INSERT INTO tasks VALUES "+strings.Join(tasks, ","))); err != nil {
			return err
		}
	}
	return exec("ANALYZE")
}

// statement is one prepared by hand; each call reads all rows into typed variables.
type statement func(ctx context.Context, args []any, row func(project, title string, priority int64)) error

// scan reads the rows of database/sql or of pgx.
func scan(rows interface {
	Next() bool
	Scan(...any) error
	Err() error
}, row func(project, title string, priority int64)) error {
	for rows.Next() {
		var project, title string
		var priority int64
		if err := rows.Scan(&project, &title, &priority); err != nil {
			return err
		}
		row(project, title, priority)
	}
	return rows.Err()
}

// suiteEngine is one database of the suite, opened both ways.
type suiteEngine struct {
	name string
	open func(b *testing.B) (db *exosql.DB, prepare func(query string) statement)
}

var suiteEngines = []suiteEngine{{"sqlite", openSuiteSQLite}, {"postgres", openSuitePostgres}}

func openSuiteSQLite(b *testing.B) (*exosql.DB, func(string) statement) {
	file := filepath.Join(b.TempDir(), "suite.db")
	db, err := exosql.Open(b.Context(), "sqlite:"+file, &exosql.OpenOptions{Setup: func(ctx context.Context, w *sql.DB) error {
		return fillSuite(func(s string) error { _, err := w.ExecContext(ctx, s); return err })
	}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	hand, err := sql.Open("sqlite", file)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { hand.Close() })
	hand.SetMaxOpenConns(1)
	return db, func(query string) statement {
		st, err := hand.Prepare(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { st.Close() })
		return func(ctx context.Context, args []any, row func(string, string, int64)) error {
			rs, err := st.QueryContext(ctx, args...)
			if err != nil {
				return err
			}
			defer rs.Close()
			return scan(rs, row)
		}
	}
}

// openSuitePostgres makes the suite's tables in a schema of its own, which is
// dropped afterwards.
func openSuitePostgres(b *testing.B) (*exosql.DB, func(string) statement) {
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" {
		b.Skip("TEST_POSTGRES_URL is not set: test.sh starts a server and sets it")
	}
	ctx := context.Background()
	made, err := pgx.Connect(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { made.Close(ctx) })
	schema := fmt.Sprintf("exo_suite_%d", os.Getpid())
	exec := func(s string) error { _, err := made.Exec(ctx, s); return err }
	if err := errors.Join(exec("DROP SCHEMA IF EXISTS "+schema+" CASCADE"), exec("CREATE SCHEMA "+schema), exec("SET search_path = "+schema), fillSuite(exec)); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { exec("DROP SCHEMA " + schema + " CASCADE") })
	sep := "?"
	if strings.Contains(url, "?") {
		sep = "&"
	}
	db, err := exosql.Open(ctx, url+sep+"search_path="+schema, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	// A connection of its own, as new as ours: the server's process that made the tables keeps the memory of that, and sorts
	// 10,000 rows in a quarter of the time.
	hand, err := pgx.Connect(ctx, url+sep+"search_path="+schema)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { hand.Close(ctx) })
	return db, func(query string) statement {
		if _, err := hand.Prepare(ctx, "suite", query); err != nil {
			b.Fatal(err)
		}
		return func(ctx context.Context, args []any, row func(string, string, int64)) error {
			rs, err := hand.Query(ctx, "suite", args...)
			if err != nil {
				return err
			}
			defer rs.Close()
			return scan(rs, row)
		}
	}
}

// suiteTool is the tool of one organisation, and tells which statement it ran.
func suiteTool(b *testing.B, db *exosql.DB, org int, inProcess bool) (*codemode.Tool, func() exosql.Query) {
	facet := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName)
	project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID, tu.ProjectName)
	task := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskTitle, tu.TaskPriority)
	facet.Add(exosql.Via(tu.OrgProjects, project))
	project.Add(exosql.Via(tu.ProjectTasks, task))
	one := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(int64(org)), exosql.ScopeVia(tu.OrgProjects), exosql.ScopeVia(tu.ProjectTasks))
	var ran exosql.Query
	bounds := exoeval.Bounds{ResultBytes: 16 << 20} // 10,000 rows whole, on both sides
	tool, err := codemode.New(codemode.Grants{"org": facet.Of(one)}, &codemode.Options{Bounds: bounds, Evaluator: evaluator(inProcess), Record: exo.RecordFunc(func(e exo.Entry) error {
		for _, d := range e.Details {
			ran, _ = d.(exosql.Query)
		}
		return nil
	})})
	if err != nil {
		b.Fatal(err)
	}
	return tool, func() exosql.Query { return ran }
}

type suiteRow struct {
	Project  string `json:"project"`
	Title    string `json:"title"`
	Priority int64  `json:"priority"`
}

// BenchmarkQuery is the query of the suite through the tool, and by hand: scanned
// into typed variables, and scanned and encoded.
func BenchmarkQuery(b *testing.B) {
	input, _ := json.Marshal(map[string]string{"code": twoJoins})
	for _, e := range suiteEngines {
		b.Run(e.name, func(b *testing.B) {
			db, prepare := e.open(b)
			for _, t := range tenants {
				tool, ran := suiteTool(b, db, t.org, true)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				out, err := tool.Call(ctx, input)
				if err != nil {
					b.Fatal(err)
				}
				q := ran()
				if q.Rows != t.rows {
					b.Fatalf("%d rows, want %d: %.300s", q.Rows, t.rows, out)
				}
				b.Run(fmt.Sprintf("%d/tool", t.rows), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := tool.Call(ctx, input); err != nil {
							b.Fatal(err)
						}
					}
				})
				worked, _ := suiteTool(b, db, t.org, false)
				b.Run(fmt.Sprintf("%d/worker", t.rows), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						// As models call it: the next worker has started meanwhile.
						b.StopTimer()
						for s := worker.Shared().Stats(); s.Running+s.Starting > 0; s = worker.Shared().Stats() {
							time.Sleep(200 * time.Microsecond)
						}
						b.StartTimer()
						if _, err := worked.Call(ctx, input); err != nil {
							b.Fatal(err)
						}
					}
				})
				var args []any
				for _, a := range q.Args {
					args = append(args, a.Int()) // the only argument is the organisation
				}
				byHand := prepare(q.SQL)
				b.Run(fmt.Sprintf("%d/scan", t.rows), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						n := 0
						if err := byHand(ctx, args, func(string, string, int64) { n++ }); err != nil || n != t.rows {
							b.Fatal(n, err)
						}
					}
				})
				b.Run(fmt.Sprintf("%d/json", t.rows), func(b *testing.B) {
					b.ReportAllocs()
					var text []byte
					for b.Loop() {
						rows := []suiteRow{}
						err := byHand(ctx, args, func(p, t string, n int64) { rows = append(rows, suiteRow{p, t, n}) })
						if err != nil {
							b.Fatal(err)
						}
						if text, err = json.Marshal(rows); err != nil {
							b.Fatal(err)
						}
					}
					if want := `{"result":` + string(text) + `}`; want != string(out) {
						b.Fatalf("by hand %.200s, by the tool %.200s", want, out)
					}
				})
			}
		})
	}
}

// suiteRun is a tool with one object, and the input that runs a program.
func suiteRun(b *testing.B, o exo.Object, program string) func() json.RawMessage {
	tool, err := codemode.New(codemode.Grants{"org": o}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		b.Fatal(err)
	}
	input, _ := json.Marshal(map[string]string{"code": program})
	return func() json.RawMessage {
		out, err := tool.Call(context.Background(), input)
		if err != nil || bytes.Contains(out, []byte(`"error"`)) {
			b.Fatal(err, string(out))
		}
		return out
	}
}

// BenchmarkRecord records the query of the suite and sends nothing: a thousand
// times in one program, so that the program's own cost is none of a query's.
func BenchmarkRecord(b *testing.B) {
	const queries = 1000
	call := suiteRun(b, tu.Tenant(tu.Open(b), tu.Acme)["org"], fmt.Sprintf(`
		let q
		for (let i = 0; i < %d; i++) {
			q = org
				.join(({ org }) => org.projects())
				.join(({ project }) => project.tasks())
				.select(({ project, task }) => ({ project: project.name, title: task.title, priority: task.priority }))
				.orderBy(({ task }) => task.id)
		}
		return (await q.execute()).length`, queries))
	if out := string(call()); out != `{"result":5}` {
		b.Fatal(out)
	}
	for b.Loop() {
		call()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/queries, "ns/query")
}

// rowsObject answers with a thousand rows that no database was asked for.
type rowsObject struct{ rows value.Value }

func newRowsObject() rowsObject {
	r := &value.Rows{Shape: &value.Shape{Names: []string{"id", "owner", "status", "hours", "title"}}}
	for i := range 1000 {
		r.Cells = append(r.Cells, value.Int(int64(i)), value.Text(fmt.Sprintf("owner %d", i%17)), value.Text([]string{"open", "doing", "done"}[i%3]), value.Float(float64(i%40)/4), value.Text(fmt.Sprintf("Task number %d", i)))
	}
	return rowsObject{value.RowsValue(r)}
}

func (o rowsObject) Describe() (message.Description, error) {
	i := &message.Interface{Name: "Source", Order: []string{"rows"}, Methods: map[string]*message.Method{
		"rows": {Name: "rows", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeData}}},
	}}
	return message.Description{Type: &message.Type{Name: "Source"}, Interfaces: []*message.Interface{i}}, nil
}

func (o rowsObject) Eval(context.Context, *exo.Message) (value.Value, error) { return o.rows, nil }

// BenchmarkShape is a program that shapes a thousand rows in JavaScript.
func BenchmarkShape(b *testing.B) {
	call := suiteRun(b, newRowsObject(), `
		const rows = await org.rows()
		const open = rows.filter((r) => r.status !== 'done')
		const byOwner = open.reduce((acc, r) => {
			const o = acc[r.owner] ?? { owner: r.owner, tasks: 0, hours: 0 }
			o.tasks = o.tasks + 1
			o.hours = o.hours + r.hours
			acc[r.owner] = o
			return acc
		}, {})
		const total = open.reduce((n, r) => n + r.hours, 0)
		const owners = Object.values(byOwner).map((o) => ({
			owner: o.owner,
			tasks: o.tasks,
			share: Math.round((100 * o.hours) / total),
		}))
		const top = owners
			.toSorted((a, b) => b.share - a.share || (a.owner < b.owner ? -1 : 1))
			.slice(0, 5)
		return {
			top,
			summary: `+"`${open.length} open tasks of ${rows.length}, ${total} hours, ${top[0].owner} first`"+`,
		}`)
	if out := string(call()); !strings.Contains(out, `"667 open`) && !strings.Contains(out, `"666 open`) {
		b.Fatal(out)
	}
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
