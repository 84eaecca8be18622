package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// shop is an object with one method of each kind that matters to a worker.
type shop struct {
	acts  atomic.Int64 // effects that happened
	rows  value.Value
	began chan struct{} // closed by the first wait, where not nil
}

var data = &message.Term{Con: &message.Type{Name: value.TypeData}}

func (s *shop) Describe() (message.Description, error) {
	m := map[string]*message.Method{}
	for _, n := range []string{"rows", "fail", "wait", "nap", "again"} {
		m[n] = &message.Method{Name: n, Result: data, Sends: true}
	}
	m["secret"] = &message.Method{Name: "secret", Result: data, Sends: true, Reply: value.NewLabel("secret")}
	m["act"] = &message.Method{Name: "act", Result: data, Sends: true, Effect: message.Immediate}
	m["echo"] = &message.Method{Name: "echo", Result: data, Sends: true, Params: []message.Param{{Name: "x", Want: data}}}
	return message.Description{Type: &message.Type{Name: "Shop"}, Interfaces: []*message.Interface{{Name: "Shop", Methods: m}}}, nil
}

var errDriver = errors.New("driver: password=hunter2 at /srv/db")

func (s *shop) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	switch m.Root.Name {
	case "rows":
		return s.rows, nil
	case "secret":
		return value.Text("s3cret").WithLabel(value.NewLabel("secret")), nil
	case "echo":
		return m.Args[0], nil
	case "act":
		s.acts.Add(1)
		return value.Int(s.acts.Load()), nil
	case "again":
		return value.RefValue(s), nil
	case "nap":
		time.Sleep(30 * time.Millisecond)
		return value.Null(), nil
	case "wait":
		if s.began != nil {
			close(s.began)
		}
		<-ctx.Done()
		return value.Value{}, ctx.Err()
	}
	return value.Value{}, errDriver
}

func rowsOf(n int) value.Value {
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"id", "title", "done"}}}
	for i := range n {
		rows.Cells = append(rows.Cells, value.Int(int64(i)), value.Text(fmt.Sprintf("task number %d", i)), value.Bool(i%3 == 0))
	}
	return value.RowsValue(rows)
}

func gateOf(t testing.TB, s *shop, l exo.Limits) *exo.Gate {
	t.Helper()
	if s.rows.IsZero() {
		s.rows = rowsOf(100)
	}
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": s}, Record: exo.Unrecorded, Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// evaluator runs programs of a shop in p, nil is the shared pool.
func evaluator[L testutil.Limits](t testing.TB, s *shop, l L, p *worker.Pool) exoeval.Runner {
	t.Helper()
	limits, bounds := testutil.Split(l)
	return inWorker(t, gateOf(t, s, limits), p, bounds)
}

// inWorker runs programs against a gate in p; nil is the shared pool.
func inWorker(t testing.TB, g *exo.Gate, p *worker.Pool, bounds ...exoeval.Bounds) exoeval.Runner {
	t.Helper()
	if p == nil {
		p = worker.Shared()
	}
	e, err := p.Bind(g, append(bounds, exoeval.Bounds{})[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// both are the evaluators of a gate: in process, and in a worker.
func both(t *testing.T, g *exo.Gate) map[string]exoeval.Runner {
	t.Helper()
	return map[string]exoeval.Runner{"in process": testutil.InProcess(g), "in a worker": inWorker(t, g, nil)}
}

func newPool(t testing.TB, o worker.PoolOptions) *worker.Pool {
	t.Helper()
	p, err := worker.NewPool(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func run(t testing.TB, e exoeval.Runner, program string) *exoeval.RunResult {
	t.Helper()
	return e.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
}

func event(r *exoeval.RunResult) worker.Event {
	var d *worker.Death
	if r.Err != nil && errors.As(errors.Unwrap(r.Err), &d) {
		return d.Event
	}
	return worker.NoEvent
}
