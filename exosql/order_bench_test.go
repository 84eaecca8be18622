package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkKeyOrder is what a total order would cost queries that ask for none: each
// without an order and ordered by the keys of its tables, in turn. x/plain is the ratio of
// the fastest answers, so that a busy machine adds little. The three tenants have 1,000,
// 10,000 and 100,000 rows, the last as many as a run may read.
func BenchmarkKeyOrder(b *testing.B) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		db := e.OpenWith(b, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			const org = "CASE WHEN %[1]s %% 111 = 0 THEN 1 WHEN %[1]s %% 111 <= 10 THEN 2 ELSE 3 END"
			if err := e.Exec(kit.PapersSQL...)(ctx, db); err != nil {
				return err
			}
			return e.Exec(
				"INSERT INTO shelves SELECT n, "+fmt.Sprintf(org, "n")+" FROM "+kit.Numbers(e, 1110),
				// Rows lie as they were written, not in the order of their keys.
				"INSERT INTO papers SELECT n * 7919 % 111000, "+fmt.Sprintf(org, "(n * 7919)")+", n * 7919 % 1110, 'Paper ' || n, 'What is written in paper number ' || n || ', in so many words' FROM "+kit.Numbers(e, 111_000),
				"ANALYZE")(ctx, db)
		}})
		onPapers := exosql.NewFacet(kit.Papers, "paper", kit.PaperID, kit.PaperShelf, kit.PaperTitle, kit.PaperBody)
		onShelves := exosql.NewFacet(kit.Shelves, "shelf", kit.ShelfID, exosql.Via(kit.ShelfOf, onPapers))
		for i, n := range []int{1000, 10_000, 100_000} {
			org := int64(i + 1)
			g, err := exo.NewGate(exo.Config{Limits: exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50}, Grants: map[string]exo.Object{
				"papers":  onPapers.Of(exosql.Grant(db, kit.Papers, kit.PaperOrg.Eq(org))),
				"shelves": onShelves.Of(exosql.Grant(db, kit.Shelves, kit.ShelfOrg.Eq(org), exosql.ScopeVia(kit.ShelfOf))),
			}})
			if err != nil {
				b.Fatal(err)
			}
			for _, q := range keyOrderQueries {
				b.Run(fmt.Sprintf("%s/%d/%s", e.Name, n, q.name), func(b *testing.B) {
					s, err := g.Begin(b.Context(), exo.Run{}, "", nil)
					if err != nil {
						b.Fatal(err)
					}
					defer s.Finish(b.Context(), value.Null(), nil)
					m := &maker{b, s.Checker()}
					plain := m.call(q.make(m, func(q *message.Node, _ ...string) *message.Node { return q }), "execute").Expr()
					ordered := m.call(q.make(m, m.by), "execute").Expr()
					id, want := uint64(0), min(n, q.most)
					took := func(x message.Expr) time.Duration {
						id++
						start := time.Now()
						if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
							b.Fatal(err)
						}
						if r, _, err := s.Next(b.Context()); err != nil || r.Err != nil || r.Value.Len() != want {
							b.Fatal(err, r.Err, r.Value.Len(), want)
						}
						return time.Since(start)
					}
					took(plain)
					took(ordered)
					var without, with []time.Duration
					for b.Loop() {
						without, with = append(without, took(plain)), append(with, took(ordered))
					}
					b.ReportMetric(float64(slices.Min(without))/1e6, "plain-ms")
					b.ReportMetric(float64(slices.Min(with))/1e6, "ordered-ms")
					b.ReportMetric(float64(slices.Min(with))/float64(slices.Min(without)), "x/plain")
					b.ReportMetric(0, "ns/op") // of both together
				})
			}
		}
	}
}

// maker makes messages by hand.
type maker struct {
	b *testing.B
	c *message.Checker
}

func (m *maker) must(n *message.Node, err error) *message.Node {
	if err != nil {
		m.b.Fatal(err)
	}
	return n
}

func (m *maker) grant(i uint32) *message.Node { return m.must(m.c.MakeRef(i)) }

func (m *maker) call(recv *message.Node, name string, args ...*message.Node) *message.Node {
	return m.must(m.c.MakeCall(recv, name, args))
}

// within calls a method with one callback, which f makes from its placeholder.
func (m *maker) within(recv *message.Node, method string, f func(ns *message.Node) *message.Node) *message.Node {
	p := m.must(m.c.MakeParam(recv, method, 0, nil))
	return m.call(recv, method, m.must(m.c.MakeLambda(p, f(p))))
}

func (m *maker) field(n *message.Node, names ...string) *message.Node {
	for _, name := range names {
		n = m.must(m.c.MakeField(n, name))
	}
	return n
}

// by orders by the keys of the named rows.
func (m *maker) by(q *message.Node, rows ...string) *message.Node {
	for _, row := range rows {
		q = m.within(q, "orderBy", func(ns *message.Node) *message.Node { return m.field(ns, row, "id") })
	}
	return q
}

// Grants are numbered by name: the papers are 0, the shelves 1.
var keyOrderQueries = []struct {
	name string
	most int // rows of the answer
	make func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node
}{
	{"list", 100_000, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node {
		return keys(m.grant(0), "paper")
	}},
	{"limit 20", 20, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node {
		return m.call(keys(m.grant(0), "paper"), "limit", m.must(m.c.MakeLit(value.Int(20))))
	}},
	{"link", 100_000, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node {
		return keys(m.call(m.grant(1), "papers"), "paper")
	}},
	{"join", 100_000, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node {
		q := m.within(m.grant(1), "join", func(ns *message.Node) *message.Node { return m.call(m.field(ns, "shelf"), "papers") })
		q = keys(q, "shelf", "paper")
		return m.within(q, "select", func(ns *message.Node) *message.Node {
			return m.must(m.c.MakeRecord([]string{"shelf", "title", "body"}, []*message.Node{m.field(ns, "shelf", "id"), m.field(ns, "paper", "title"), m.field(ns, "paper", "body")}))
		})
	}},
	{"equals", 100_000, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node { // a hundred of each
		return keys(m.within(m.grant(0), "orderBy", func(ns *message.Node) *message.Node { return m.field(ns, "paper", "shelfId") }), "paper")
	}},
	{"two columns", 100_000, func(m *maker, keys func(*message.Node, ...string) *message.Node) *message.Node {
		return m.within(keys(m.grant(0), "paper"), "select", func(ns *message.Node) *message.Node {
			return m.must(m.c.MakeRecord([]string{"id", "title"}, []*message.Node{m.field(ns, "paper", "id"), m.field(ns, "paper", "title")}))
		})
	}},
}
