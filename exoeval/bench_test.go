package exoeval_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// What a run costs before and beside the work of its program.
func BenchmarkRealm(b *testing.B) {
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	for _, c := range []struct{ name, program string }{
		{"sum", "1 + 1"},
		{"async", "async () => await 1"},
		{"query", twoJoins},
		{"date", "new Date().getTime()"},
		{"pattern", "'a1'.replace(/\\d/, '')"},
	} {
		make := exoeval.NewRealmOf(exoeval.NewLocal(r.Gate), c.program)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := make(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRun(b *testing.B) {
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	for name, program := range map[string]string{"sum": "1 + 1", "two joins": twoJoins} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustRun(b, r.Eval, program)
			}
		})
	}
}

func mustRun(b *testing.B, e exoeval.Runner, program string) *exoeval.RunResult {
	res := e.Run(b.Context(), exoeval.Job{Program: program, Run: exo.Run{Clock: testutil.Start, Seed: 1}})
	if res.Err != nil {
		b.Fatal(res.Err)
	}
	return res
}

const twoJoins = `(api) => api.org
  .join(({ org }) => org.projects())
  .join(({ project }) => project.tasks())
  .where(({ task }) => task.done === false)
  .select(({ project, task }) => ({ project: project.name, task: task.title }))
  .execute()`

// Recording a query with two joins up to the finished message: without a realm
// and without a database.
func BenchmarkRecord(b *testing.B) {
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	record, err := exoeval.Recording(exoeval.NewLocal(r.Gate), twoJoins)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := record(); err != nil {
			b.Fatal(err)
		}
	}
}

// A store answers every call with the same rows.
type store struct{ rows value.Value }

func (s *store) Describe() (message.Description, error) {
	data := &message.Term{Con: &message.Type{Name: value.TypeData}}
	return message.Description{Type: &message.Type{Name: "Store"}, Interfaces: []*message.Interface{{Name: "Store", Methods: map[string]*message.Method{
		"rows": {Name: "rows", Result: data, Sends: true}}}}}, nil
}

func (s *store) Eval(context.Context, *exo.Message) (value.Value, error) { return s.rows, nil }

func newStore(tb testing.TB, n int) exoeval.Runner {
	tb.Helper()
	return exoeval.NewLocal(storeGate(tb, n))
}

func storeGate(tb testing.TB, n int) *exo.Gate {
	tb.Helper()
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"id", "title", "done", "priority", "owner"}}}
	for i := range n {
		rows.Cells = append(rows.Cells, value.Int(int64(i)), value.Text(fmt.Sprintf("task number %d", i)), value.Bool(i%3 == 0), value.Int(int64(i*7919%5)), value.Text([]string{"ada", "grace", "edsger", "barbara"}[i%4]))
	}
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"store": &store{value.RowsValue(rows)}}})
	if err != nil {
		tb.Fatal(err)
	}
	return gate
}

const shaping = `const rows = await store.rows();
const open = rows.filter((r) => !r.done && r.priority > 0);
const perOwner = open.reduce((acc, r) => {
  acc[r.owner] = (acc[r.owner] ?? 0) + 1;
  return acc;
}, {});
const weight = open.reduce((sum, r) => sum + r.priority, 0);
const shaped = open.map((r) => ({
  id: r.id,
  label: ` + "`#${r.id} ${r.title}`" + `,
  owner: r.owner,
  score: r.priority * 10 + (r.done ? 0 : 1),
}));
const sorted = shaped.toSorted((a, b) => b.score - a.score || a.id - b.id);
const top = sorted.slice(0, 10);
return {
  total: rows.length,
  open: open.length,
  weight, perOwner, top,
};`

// What the rows of a query cost the evaluator, between the host and the result.
func BenchmarkRows(b *testing.B) {
	for _, c := range []struct {
		name, program string
		rows          int
	}{
		{"untouched 10000", "return await store.rows()", 10_000},
		{"in an object 10000", "const rows = await store.rows(); return { rows, n: rows.length }", 10_000},
		{"one read 10000", "const rows = await store.rows(); return rows[17].title", 10_000},
		{"shaping 1000", shaping, 1000},
		{"sort 1000", "return (await store.rows()).sort((a, b) => a.title < b.title ? -1 : 1).length", 1000},
		{"stringify 1000", "return JSON.stringify(await store.rows()).length", 1000},
		{"copied 1000", "return (await store.rows()).map((r) => ({ ...r }))", 1000},
		{"loop 1000", "let n = 0; for (const r of await store.rows()) n += r.id; return n", 1000},
	} {
		e := newStore(b, c.rows)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustRun(b, e, c.program)
			}
		})
	}
}
