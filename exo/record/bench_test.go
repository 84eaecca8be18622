package record

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// An allowed message, from Submit to its reply, that is recorded in different ways: its
// intent with the exact message, and its outcome with the digest and what the object said.
func BenchmarkRecorded(b *testing.B) {
	file, err := Open(filepath.Join(b.TempDir(), "record"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	made := makeLog(b, filepath.Join(b.TempDir(), "folder"))
	folder, err := OpenFolder(made.dir, made.private)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	for _, c := range []struct {
		name string
		to   exo.Recorder
	}{{"unrecorded", exo.Unrecorded}, {"a function", exo.RecordFunc(func(exo.Entry) error { return nil })}, {"lines to nowhere", New(io.Discard)}, {"lines to a file", file}, {"a folder", folder}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"echo": echo{}}, Record: c.to, Limits: exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50}})
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			s, err := gate.Begin(ctx, exo.Run{}, "a program", nil)
			if err != nil {
				b.Fatal(err)
			}
			x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpLit, Recv: -1, Lit: value.Text("what it says")}, {Op: message.OpCall, Name: "say", Recv: 0, Args: []int32{1}}}}
			id := uint64(0)
			for b.Loop() {
				id++
				if err := s.Submit(exo.Call{ID: id, Expr: x}); err != nil {
					b.Fatal(err)
				}
				if r, _, err := s.Next(ctx); err != nil || r.Err != nil {
					b.Fatal(err, r.Err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			if err := s.Finish(ctx, value.Null(), nil); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// echo says again what it is told, and of that what a database would say of a query.
type echo struct{}

type query struct {
	SQL  string        `json:"sql"`
	Args []value.Value `json:"args"`
}

func (q query) AppendJSON(b []byte) ([]byte, error) {
	b = append(appendText(append(b, `{"sql":`...), q.SQL), `,"args":`...)
	b, err := value.List(q.Args...).AppendJSON(b)
	return append(b, '}'), err
}

func (echo) Describe() (message.Description, error) {
	text := &message.Term{Con: &message.Type{Name: value.TypeText}}
	m := map[string]*message.Method{"say": {Name: "say", Sends: true, Params: []message.Param{{Name: "what", Want: text}}, Result: text}}
	return message.Description{Type: &message.Type{Name: "Echo"}, Interfaces: []*message.Interface{{Name: "Echo", Methods: m}}}, nil
}

func (echo) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	m.AddDetail(query{"SELECT t0.id, t0.title FROM todos AS t0 WHERE t0.org_id = ? LIMIT 1", m.Args})
	return m.Args[0], nil
}

// One line alone.
func BenchmarkLine(b *testing.B) {
	l := New(io.Discard)
	id := exo.NewRunID()
	text := value.Text("what it says")
	for name, e := range map[string]exo.Entry{
		"intent":  {RunID: id, Step: exo.Intent, At: time.Now(), Call: 77, Op: "echo.say", Message: make([]byte, 40)},
		"outcome": {RunID: id, Step: exo.Outcome, At: time.Now(), Call: 77, Op: "echo.say", Digest: value.Digest{1}, Rows: 1, Took: 1234, Details: []any{query{"SELECT t0.id, t0.title FROM todos AS t0 WHERE t0.org_id = ? LIMIT 1", []value.Value{text}}}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Record(context.Background(), e)
			}
		})
	}
}
