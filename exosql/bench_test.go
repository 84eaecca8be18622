package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// twoJoins is a message of the suite's query: organisation, projects, tasks;
// three columns; an order.
func twoJoins(b *testing.B, s *exo.Session) message.Expr {
	c := s.Checker()
	must := func(n *message.Node, err error) *message.Node {
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	// within calls a method with one callback, which f makes from its placeholder.
	within := func(recv *message.Node, method string, f func(ns *message.Node) *message.Node) *message.Node {
		p := must(c.MakeParam(recv, method, 0, nil))
		return must(c.MakeCall(recv, method, []*message.Node{must(c.MakeLambda(p, f(p)))}))
	}
	field := func(n *message.Node, names ...string) *message.Node {
		for _, name := range names {
			n = must(c.MakeField(n, name))
		}
		return n
	}
	q := must(c.MakeRef(0))
	q = within(q, "join", func(ns *message.Node) *message.Node { return must(c.MakeCall(field(ns, "org"), "projects", nil)) })
	q = within(q, "join", func(ns *message.Node) *message.Node { return must(c.MakeCall(field(ns, "project"), "tasks", nil)) })
	q = within(q, "select", func(ns *message.Node) *message.Node {
		return must(c.MakeRecord([]string{"project", "title", "priority"},
			[]*message.Node{field(ns, "project", "name"), field(ns, "task", "title"), field(ns, "task", "priority")}))
	})
	q = within(q, "orderBy", func(ns *message.Node) *message.Node { return field(ns, "task", "id") })
	return must(c.MakeCall(q, "execute", nil)).Expr()
}

func suiteGate(b *testing.B, db *exosql.DB) *exo.Gate {
	org := tu.Tenant(db, tu.Acme)["org"]
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"org": org}, Limits: exo.Limits{Calls: 1 << 40}})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkPlan is planning alone: a message that has passed the gate, to a
// statement with its arguments.
func BenchmarkPlan(b *testing.B) {
	db := tu.Open(b)
	s, err := suiteGate(b, db).Begin(b.Context(), exo.Run{}, "", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Finish(b.Context(), value.Null(), nil)
	x := twoJoins(b, s)
	checked, err := s.Checker().Check(x)
	if err != nil {
		b.Fatal(err)
	}
	m := &exo.Message{Checked: *checked}
	m.Objects = []exo.Object{tu.Tenant(db, tu.Acme)["org"]}
	for _, cold := range []bool{true, false} {
		b.Run(map[bool]string{true: "cold", false: "cached"}[cold], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := exosql.Plan(db, m, cold); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAnswer is a message of 5 rows from its arrival at the gate to its answer.
func BenchmarkAnswer(b *testing.B) {
	db := tu.Open(b)
	s, err := suiteGate(b, db).Begin(b.Context(), exo.Run{}, "", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Finish(b.Context(), value.Null(), nil)
	x := twoJoins(b, s)
	b.ReportAllocs()
	id := uint64(0)
	for b.Loop() {
		id++
		if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
			b.Fatal(err)
		}
		if r, _, err := s.Next(b.Context()); err != nil || r.Err != nil || r.Value.Len() != 5 {
			b.Fatal(fmt.Sprint(err, r))
		}
	}
}

// BenchmarkRows is a message of 10,000 rows from its arrival at the gate to its
// answer, beside the same statement prepared by hand and scanned into variables.
func BenchmarkRows(b *testing.B) {
	file := filepath.Join(b.TempDir(), "rows.db")
	const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO projects SELECT 5000 + i, 1, NULL, 'Project ' || i, NULL FROM n;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9994) INSERT INTO tasks SELECT 50000 + i, 5001 + i / 100, NULL, 'Task number ' || i || ' of many', 'open', 0, i % 5, NULL FROM n;`
	db, err := exosql.Open(b.Context(), "sqlite:"+file, &exosql.OpenOptions{Setup: func(ctx context.Context, w *sql.DB) error {
		if err := tu.Fill(ctx, w); err != nil {
			return err
		}
		return tu.SQLite.Exec(fill)(ctx, w)
	}})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	hand, err := sql.Open("sqlite", file)
	if err != nil {
		b.Fatal(err)
	}
	defer hand.Close()
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"org": tu.Tenant(db, tu.Acme)["org"]}, Limits: exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := g.Begin(b.Context(), exo.Run{}, "", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Finish(b.Context(), value.Null(), nil)
	x := twoJoins(b, s)
	id := uint64(0)
	message := func() {
		id++
		if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
			b.Fatal(err)
		}
		if r, _, err := s.Next(b.Context()); err != nil || r.Err != nil || r.Value.Len() != 10_000 {
			b.Fatal(err, r.Err, r.Value.Len())
		}
	}
	message()
	b.Run("message", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			message()
		}
	})
	b.Run("scan", func(b *testing.B) {
		st, err := hand.Prepare(exosql.PlanTexts(db)[0])
		if err != nil {
			b.Fatal(err)
		}
		defer st.Close()
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		b.ReportAllocs()
		for b.Loop() {
			rs, err := st.QueryContext(ctx, tu.Acme)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for rs.Next() {
				var project, title string
				var priority int64
				if err := rs.Scan(&project, &title, &priority); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if err := rs.Close(); err != nil || n != 10_000 {
				b.Fatal(err, n)
			}
		}
	})
}
