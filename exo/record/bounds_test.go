package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// cases are the numbered lines of a file, cut at tabs.
func cases(t *testing.T, file string, columns int) (cs [][]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if n, err := strconv.Atoi(c[0]); err != nil || n != len(cs)+1 || len(c) != columns {
			t.Fatalf("%s: case %d: %q", file, len(cs)+1, line)
		}
		cs = append(cs, c)
	}
	if len(cs) == 0 {
		t.Fatalf("%s: no cases", file)
	}
	return cs
}

// raw writes itself as what it is, whatever that is.
type raw string

func (r raw) AppendJSON(b []byte) ([]byte, error) { return append(b, r...), nil }

type marshals string

func (m marshals) MarshalJSON() ([]byte, error) { return []byte(m), nil }

// recorded is what is read of one entry, between two others of its run.
func recorded(t *testing.T, e exo.Entry) exo.Entry {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record")
	for _, step := range []exo.Step{exo.Begun, 0, exo.Ended} { // each by a process of its own
		f, err := Open(path)
		if err != nil {
			t.Fatalf("the record is lost: %v", err)
		}
		next := e
		if step != 0 {
			next = entry(e.RunID, step)
		}
		if err := f.Record(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	es := all(t, bytes.NewReader(b))
	if len(es) != 3 || es[0].Step != exo.Begun || es[2].Step != exo.Ended {
		t.Fatalf("%d entries are read of 3: %s", len(es), b)
	}
	return es[1]
}

// Whatever a detail writes of itself, the entry that has it is appended and read back, and
// nothing else with it.
func TestDetailsAreOneValue(t *testing.T) {
	for _, c := range cases(t, "details.txt", 5) {
		n, _ := strconv.Atoi(c[1])
		text, err := strconv.Unquote(c[2])
		if err != nil {
			t.Fatal(c[0], err)
		}
		text = strings.Repeat("[", n) + text + strings.Repeat("]", n)
		want := c[4]
		if want == "deep" {
			want = text
		}
		e := exo.Entry{RunID: exo.NewRunID(), Step: exo.Intent, At: time.Now().UTC()}
		plain, err := appendLine(nil, &e, &runs{})
		if err != nil {
			t.Fatal(err)
		}
		twin := "reads" // a line that has the detail as it is
		line := strings.Replace(string(plain), "}\n", `,"details":[`+text+"]}\n", 1)
		var read []exo.Entry
		for e, err := range Read(strings.NewReader(line)) {
			if err != nil {
				twin = "refused"
			}
			read = append(read, e)
		}
		if twin == "reads" && (len(read) != 1 || read[0].State != e.State || len(read[0].Details) != 1) {
			twin = "differs"
		}
		if twin != c[3] {
			t.Errorf("%s: the twin %s: %.300s", c[0], twin, line)
		}
		for _, d := range []any{raw(text), marshals(text)} {
			e.Details = []any{"before", d, "after"}
			got := recorded(t, e)
			if got.Step != e.Step || got.State != e.State || len(got.Details) != 3 || string(got.Details[0].(json.RawMessage)) != `"before"` || string(got.Details[2].(json.RawMessage)) != `"after"` {
				t.Errorf("%s: %T: %+v", c[0], d, got)
				continue
			}
			j := string(got.Details[1].(json.RawMessage))
			if note := strings.HasPrefix(j, fmt.Sprintf(`{"note":"a detail of type %T was left out: `, d)); j != want && !note || note != (want == "note") {
				t.Errorf("%s: %T is recorded as %.300s, not %.300s", c[0], d, j, want)
			}
		}
	}
}

type panics struct{}

func (panics) AppendJSON([]byte) ([]byte, error) { panic("no") }

// rewrites goes for what stands before it in the line.
type rewrites struct{}

func (rewrites) AppendJSON(b []byte) ([]byte, error) {
	for i := range b {
		b[i] = 'x'
	}
	return append(b, '1'), nil
}

type nilError struct{ s string }

func (e *nilError) Error() string { return e.s }

type noJSON struct{}

func (noJSON) AppendJSON(b []byte) ([]byte, error) { return append(b, `{"half":`...), (*nilError)(nil) }

// What can't be written is noted in its place.
func TestDetailsThatFail(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	for what, d := range map[string]any{"-Inf": math.Inf(-1), "-Inf in a record": map[string]any{"x": math.Inf(-1)}, "a channel": make(chan int), "a loop": loop,
		"no value": value.Value{}, "a panic": panics{}, "a nil pointer to what panics": (*panics)(nil), "an error that panics": noJSON{}} {
		got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Outcome, At: time.Now(), Details: []any{d, 2}})
		if len(got.Details) != 2 || !strings.HasPrefix(string(got.Details[0].(json.RawMessage)), `{"note":"a detail of type `) || string(got.Details[1].(json.RawMessage)) != "2" {
			t.Errorf("%s: %s", what, got.Details)
		}
	}
	if got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Outcome, Op: "what", At: time.Now(), Details: []any{rewrites{}}}); got.Op != "what" {
		t.Errorf("%+v", got)
	}
	if got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Outcome, At: time.Now(), Details: []any{raw("\"\xff\x9b\"")}}); string(got.Details[0].(json.RawMessage)) != "\"\ufffd\"" {
		t.Errorf("%q", got.Details)
	}
	// Each \x00 is six bytes in a line: three of these and it would be refused as too long.
	large := strings.Repeat("\x00", 4<<20)
	got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Outcome, At: time.Now(), Details: []any{1, large, large, large},
		Err: &fail.Error{Msg: large, Op: large, Err: errors.New(large)}})
	if len(got.Details) != 2 || !strings.Contains(string(got.Details[1].(json.RawMessage)), "3 details of ") || len(got.Err.Error()) > 3*maxErrorText+100 { // its op, its message and its cause
		t.Errorf("%d details, %d bytes", len(got.Details), len(got.Err.Error()))
	}
}

type wraps struct{ in func() error }

func (w *wraps) Error() string {
	if in := w.in(); in != nil {
		return "wraps " + in.Error()
	}
	return "wraps nothing"
}
func (w *wraps) Unwrap() error { return w.in() }

func oddErrors() map[string]error {
	self := &wraps{}
	self.in = func() error { return self }
	own := &fail.Error{Kind: fail.Denied, Op: "o"}
	own.Err = own
	var many error
	for range 40 { // 2^40 errors
		many = errors.Join(many, many, errors.New("x"))
		if len(many.Error()) > 1<<10 {
			break
		}
	}
	for range 40 {
		many = &wrapsTwice{many}
	}
	deep := errors.New("x")
	for range 2000 {
		deep = &fail.Error{Kind: fail.Denied, Err: deep}
	}
	return map[string]error{
		"a nil pointer": (*nilError)(nil), "a nil pointer that is wrapped": &wraps{func() error { return (*nilError)(nil) }},
		"a nil pointer as a cause": &fail.Error{Kind: fail.Denied, Op: "o", Err: (*nilError)(nil)}, "a nil *fail.Error": (*fail.Error)(nil),
		"wraps a nil *fail.Error": &wraps{func() error { return (*fail.Error)(nil) }},
		"wraps itself":            self, "its own cause": own, "wraps its own cause": &wraps{func() error { return own }}, "many": many, "deep": deep,
		"panics when unwrapped": &wraps{func() error { panic("no") }},
		"kind 77":               &fail.Error{Kind: 77, Op: "o"}, "the first kind too many": &fail.Error{Kind: fail.Pending + 1}, "wraps kind 77": fmt.Errorf("x: %w", &fail.Error{Kind: 77}),
	}
}

type wrapsTwice struct{ in error }

func (w *wrapsTwice) Error() string   { return w.in.Error() + w.in.Error() }
func (w *wrapsTwice) Unwrap() []error { return []error{w.in, nil, w.in} }

// An error whose text can't be had is told as one, and the process goes on.
func TestOddErrors(t *testing.T) {
	for what, failed := range oddErrors() {
		got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Outcome, At: time.Now(), Err: failed})
		want := fail.Internal
		if e, ok := failed.(*fail.Error); ok && e != nil && e.Kind == fail.Denied {
			want = fail.Denied
		}
		if got.Err == nil || fail.KindOf(got.Err) != want || got.Err.Error() == "" {
			t.Errorf("%s: %v", what, got.Err)
		}
		if says := "wraps itself or more than"; strings.Contains("wraps itself its own cause many deep", what) && !strings.Contains(got.Err.Error(), says) {
			t.Errorf("%s: %v", what, got.Err)
		}
		if strings.Contains(what, "nil pointer") && !strings.Contains(got.Err.Error(), "panicked when its method Error was called") {
			t.Errorf("%s: %v", what, got.Err)
		}
	}
	batch := make([]error, maxWrapped-1)
	for i := range batch {
		batch[i] = errors.New("x")
	}
	if got := recorded(t, exo.Entry{RunID: exo.NewRunID(), Step: exo.Ended, At: time.Now(), Err: errors.Join(batch...)}); got.Err.Error() != errors.Join(batch...).Error() {
		t.Error(got.Err)
	}
}

// A line that tells two readers two things is refused.
func TestNamesGivenTwice(t *testing.T) {
	good := `{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"ended","at":"2026-01-02T03:04:05Z"}` + "\n"
	for _, c := range cases(t, "lines.txt", 4) {
		bad := strings.Replace(good, c[1], c[2], 1)
		var failed error
		for _, err := range Read(strings.NewReader(good + bad)) {
			failed = err
		}
		if bad == good || failed == nil || !strings.Contains(failed.Error(), c[3]) || !strings.HasPrefix(failed.Error(), "record: line 2: ") {
			t.Errorf("%s: %v; want %q", c[0], failed, c[3])
		}
	}
}

func anyDetail() *rapid.Generator[any] {
	fragment := rapid.SampledFrom([]string{"[", "]", "{", "}", ",", ":", " ", "\n", `"`, `\`, `"a"`, "1", "-1e999", "null", `"step"`, `],"step":"ended","details":[`, "\xff", "\x1b", "\u2028"})
	return rapid.Custom(func(t *rapid.T) any {
		text := strings.Join(rapid.SliceOfN(fragment, 0, 9).Draw(t, "fragments"), "")
		switch rapid.IntRange(0, 7).Draw(t, "detail") {
		case 0:
			return raw(text)
		case 1:
			return marshals(text)
		case 2:
			return raw(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
		case 3:
			return json.RawMessage(text)
		case 4:
			return rapid.Float64().Draw(t, "float")
		case 5:
			n := rapid.IntRange(0, 600).Draw(t, "depth")
			return raw(strings.Repeat("[", n) + text + strings.Repeat("]", n))
		case 6:
			return value.List(value.Text(text), value.Float(rapid.SampledFrom([]float64{0, math.Inf(-1), math.NaN(), 1e300}).Draw(t, "number")))
		}
		return rapid.SampledFrom([]any{panics{}, noJSON{}, make(chan int), nil, map[string]any{text: text}}).Draw(t, "odd")
	})
}

// anything is an entry that nobody has looked at.
func anything(odd []error) *rapid.Generator[exo.Entry] {
	return rapid.Custom(func(t *rapid.T) exo.Entry {
		e := anyEntry().Draw(t, "entry")
		mutate := func(what string) bool { return rapid.IntRange(0, 4).Draw(t, what) == 0 }
		wild := func(what string) time.Time {
			return time.Date(rapid.IntRange(-20_000, 20_000).Draw(t, what), 12, 31, 23, 59, 59, 1, time.UTC)
		}
		if mutate("enumerations") {
			e.Step, e.State, e.Effect = exo.Step(rapid.Byte().Draw(t, "odd step")), exo.State(rapid.Byte().Draw(t, "odd state")), message.EffectMode(rapid.Byte().Draw(t, "odd effect"))
		}
		if mutate("time") {
			e.At = wild("odd time")
		}
		if mutate("start") {
			e.Start = &exo.Start{Clock: wild("odd clock")}
		}
		if mutate("kind") {
			e.Err = &fail.Error{Kind: fail.Kind(rapid.Byte().Draw(t, "odd kind"))}
		}
		if mutate("error") {
			e.Err = rapid.SampledFrom(odd).Draw(t, "odd error")
		}
		e.Details = rapid.SliceOfN(anyDetail(), 0, 3).Draw(t, "odd details")
		return e
	})
}

// Whatever entry is acknowledged is read back, and so is the record that has it.
func TestAcknowledgedIsRead(t *testing.T) {
	var odd []error
	for _, err := range oddErrors() {
		odd = append(odd, err)
	}
	acknowledged, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{}
		l := New(w)
		var kept []exo.Entry
		for _, e := range rapid.SliceOfN(anything(odd), 1, 4).Draw(t, "entries") {
			if l.Record(context.Background(), e) != nil {
				refused++
				continue
			}
			e.Kept = nil // this record keeps no replies, and so no catalogue
			if e.Start != nil {
				own := *e.Start
				own.Grants, e.Start = nil, &own
			}
			kept = append(kept, e)
		}
		acknowledged += len(kept)
		got := all(t, strings.NewReader(w.String()))
		if len(got) != len(kept) {
			t.Fatalf("%d of %d entries\n%s", len(got), len(kept), w.String())
		}
		for i, e := range kept {
			g := got[i]
			if (e.Err == nil) != (g.Err == nil) || !fail.KindOf(g.Err).Valid() || len(e.Details) != len(g.Details) {
				t.Fatalf("%+v\nis read as\n%+v", e, g)
			}
			e.Err, g.Err, e.Details, g.Details = nil, nil, nil, nil
			if !reflect.DeepEqual(e, g) {
				t.Fatalf("%+v\nis read as\n%+v", e, g)
			}
		}
		if _, err := Unsettled(strings.NewReader(w.String())); err != nil {
			t.Fatal(err)
		}
	})
	if acknowledged == 0 || refused == 0 {
		t.Errorf("%d entries acknowledged, %d refused", acknowledged, refused)
	}
}
