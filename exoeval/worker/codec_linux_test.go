package worker_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// Every limit crosses: each field is set to something of its own.
func TestLimitsCross(t *testing.T) {
	w := worldOf(t)
	for k, l := range []reflect.Value{reflect.ValueOf(&w.Limits).Elem(), reflect.ValueOf(&w.Bounds).Elem()} {
		for i := range l.NumField() {
			l.Field(i).SetInt(int64(1000*(k+1) + i))
		}
	}
	got, _, err := worker.CrossWorld(w)
	if err != nil || got.Limits != w.Limits || got.Bounds != w.Bounds {
		t.Errorf("%v %v\n%v %v, %v", w.Limits, w.Bounds, got.Limits, got.Bounds, err)
	}
}

func worldOf(t testing.TB) *exoeval.World {
	t.Helper()
	w, err := exoeval.NewWorld(testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{}).Gate, exoeval.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The catalogue that a worker has is the gate's, but for the documentation of members.
func TestCatalogCrosses(t *testing.T) {
	w := worldOf(t)
	got, size, err := worker.CrossWorld(w)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := worker.WorldBytes(w), worker.WorldBytes(got); !bytes.Equal(a, b) {
		t.Errorf("what came is written in %d bytes, what was sent in %d", len(b), len(a))
	}
	if len(got.Catalog) != len(w.Catalog) || len(got.Granted) != len(w.Granted) {
		t.Error("something is missing")
	}
	// The codec names every field that a checker can ask for: who adds one comes here.
	for _, c := range []struct {
		v      any
		fields int
	}{{exo.Limits{}, 12}, {exoeval.Bounds{}, 8}, {exoeval.ProgramResult{}, 3}, {exo.Line{}, 3}, {fail.Error{}, 6}} {
		if n := reflect.TypeOf(c.v).NumField(); n != c.fields {
			t.Errorf("%T has %d fields; the codec was written for %d", c.v, n, c.fields)
		}
	}
	t.Logf("%d bytes", size)
}

func anyValue(depth int) *rapid.Generator[value.Value] {
	return rapid.Custom(func(t *rapid.T) value.Value {
		kinds := 8
		if depth == 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return value.Null()
		case 1:
			return value.Bool(rapid.Bool().Draw(t, "bool"))
		case 2, 3:
			return value.Int(rapid.Int64().Draw(t, "int"))
		case 4:
			return value.Time(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "time")))
		case 5:
			f := rapid.Float64().Draw(t, "float")
			if math.IsNaN(f) || math.IsInf(f, 0) {
				f = 0
			}
			return value.Float(f)
		case 6:
			return value.Text(rapid.StringMatching(`[a-zäß€😀"\\]{0,9}`).Draw(t, "text"))
		case 7:
			return value.List(append([]value.Value{}, rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "list")...)...)
		}
		fields := []value.Field{}
		for _, n := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 15, rapid.ID[string]).Draw(t, "names") {
			fields = append(fields, value.Field{Name: n, Value: anyValue(depth-1).Draw(t, n)})
		}
		return value.RecordValue(fields...)
	})
}

// Values come through as they were, there and back, rows too; and rows that
// were not touched come back as the very ones that were sent.
func TestValuesCross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(3).Draw(t, "value")
		there, back, err := worker.CrossReply(v)
		if err != nil || !reflect.DeepEqual(v, there) || !reflect.DeepEqual(v, back) {
			t.Fatalf("%v: %v, %v, %v", v, there, back, err)
		}
	})
	sub := &value.Shape{Names: []string{"b", "c"}}
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"a", "sub"}, Subs: []*value.Shape{nil, sub}}, Cells: []value.Value{
		value.Int(1), value.Text("x"), value.List(value.Int(2), value.Null()), value.Null(), value.Float(1.5), value.RecordValue(value.Field{Name: "n", Value: value.Bool(true)})}}
	// Rows that are more than plain cells cross, and are read into a result: they never come back as they are.
	there, _, err := worker.CrossReply(value.RowsValue(rows))
	if err == nil || !reflect.DeepEqual(there.Rows(), rows) {
		t.Errorf("%v, %v", there, err)
	}
	rows.Cells = []value.Value{value.Int(1), value.Text("x"), value.Bool(true), value.Null(), value.Float(1.5), value.Time(time.UnixMilli(5))}
	there, back, err := worker.CrossReply(value.RowsValue(rows))
	if err != nil || !reflect.DeepEqual(there.Rows(), rows) || back.Rows() != rows {
		t.Errorf("%v, %v, %v", there, back, err)
	}
	empty := &value.Rows{Shape: &value.Shape{Names: []string{"a"}}}
	if _, back, err := worker.CrossReply(value.List(value.RowsValue(empty), value.RowsValue(rows))); err != nil || back.At(0).Rows() != empty || back.At(1).Rows() != rows {
		t.Errorf("%v, %v", back, err)
	}
}

var someCalls = []exo.Call{
	{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "rows", Recv: 0}}}},
	{ID: 1 << 40, Expr: message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1, Ref: 7}, {Op: message.OpParam, Name: "where", Recv: 0, Arg: 1},
		{Op: message.OpLit, Recv: -1, Lit: value.List(value.Text("x"), value.Null(), value.RecordValue(value.Field{Name: "a", Value: value.Float(1.5)}))},
		{Op: message.OpRecord, Recv: -1, Names: []string{"a", "b"}, Args: []int32{1, 2}}, {Op: message.OpLambda, Recv: 1, Args: []int32{3}}, {Op: message.OpCall, Name: "where", Recv: 0, Args: []int32{4}}}}},
}

// What a decoder takes, the encoder writes in the same bytes: there is one
// spelling of each message, and nothing in a frame goes unread.
func FuzzFrameCall(f *testing.F) {
	for _, c := range someCalls {
		b, _ := worker.AppendCall(nil, c)
		f.Add(string(b[5:]))
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := worker.DecodeCall(s, 100)
		if errors.Is(err, worker.ErrPanic) {
			t.Fatalf("%q: the decoder panicked", s)
		}
		if err != nil {
			return
		}
		if b, _ := worker.AppendCall(nil, c); string(b[5:]) != s {
			t.Errorf("%q is read as %+v, which is written %q", s, c, b[5:])
		}
	})
}

func FuzzFrameDone(f *testing.F) {
	for _, o := range []exoeval.ProgramResult{{Value: value.Int(7)}, {Value: value.Null(), Undefined: true},
		{Value: value.RecordValue(value.Field{Name: "a", Value: value.List(value.Time(time.UnixMilli(5)), value.Text("x"))})},
		{Err: &fail.Error{Kind: fail.Program, Op: "a.b", Msg: "m", Pos: fail.Pos{Line: 1, Column: 2, Text: "s"}}}} {
		f.Add(string(worker.AppendDone(o)))
	}
	f.Add("\x01\x41\x00\x00")
	f.Fuzz(func(t *testing.T, s string) {
		o, err := worker.DecodeDone(s, exoeval.Bounds{})
		if errors.Is(err, worker.ErrPanic) {
			t.Fatalf("%q: the decoder panicked", s)
		}
		if err == nil && o.Err == nil {
			if _, err := o.Value.AppendJSON(nil); err != nil {
				t.Errorf("%q is a result that is no data: %v", s, err)
			}
		}
	})
}

// The worker's own decoders meet only the host's frames, and still end.
func FuzzFrameHost(f *testing.F) {
	f.Add(string(worker.ReplyBytes(exo.Reply{ID: 1, Value: rowsOf(3)})))
	f.Add(string(worker.ReplyBytes(exo.Reply{ID: 1, Err: fail.Errorf(fail.Denied, "a", "b")})))
	f.Fuzz(func(t *testing.T, s string) {
		_ = worker.DecodeReply(s)
		_ = worker.DecodeJob(s)
		_ = worker.DecodeCells(s, 1)
	})
}

// No text of the host is in a frame to a worker.
func TestRepliesHideCauses(t *testing.T) {
	for _, e := range []error{fail.Classify("todos", errDriver), &fail.Error{Kind: fail.Denied, Msg: "no", Err: errDriver}, &fail.Error{Kind: fail.Internal, Msg: "hunter2", Err: errDriver}, &fail.Error{Kind: fail.Other, Msg: "hunter2"}, errDriver} {
		if b := worker.ReplyBytes(exo.Reply{ID: 1, Err: e}); contains(b, "hunter2") || contains(b, "/srv") {
			t.Errorf("%v crosses as %q", e, b)
		}
	}
}

func contains(b []byte, s string) bool { return strings.Contains(string(b), s) }

// A reply holds many plain rows by their number; their cells come once, and only
// when they are asked for.
func TestHeldRowsCross(t *testing.T) {
	for _, n := range []int{101, 10_000} {
		v := rowsOf(n)
		reply, cells, got, err := worker.Fetched(v)
		if err != nil || len(reply) > 40 || len(cells) < 10*n || got.String() != v.String() {
			t.Errorf("%d rows: %v, %d bytes of reply, %d of cells", n, err, len(reply), len(cells))
		}
	}
	nested := rowsOf(150)
	nested.Rows().Cells[7] = value.List(value.Int(1))
	for what, v := range map[string]value.Value{"few": rowsOf(100), "nested": nested} {
		if reply, cells, got, err := worker.Fetched(v); err != nil || cells != nil || len(reply) < 1000 || got.String() != v.String() {
			t.Errorf("%s: %v, %d bytes of reply, %d of cells", what, err, len(reply), len(cells))
		}
	}
}

// The program's side has told the program how many rows there are: with fewer cells it
// would read rows that are not there, so another number of them is no frame.
func TestCellsAsAnnounced(t *testing.T) {
	two := string(worker.CellsBytes(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.Int(1), value.Text("x")}}))
	for announced := range 4 {
		if err := worker.DecodeCells(two, announced); (err == nil) != (announced == 2) {
			t.Errorf("two rows where %d were announced: %v", announced, err)
		}
	}
}
