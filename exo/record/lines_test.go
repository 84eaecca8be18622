package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// A text of anything: no UTF-8, escapes of a terminal, what JSON escapes.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.Just(""), rapid.StringMatching("[a-z\"\\\\\n\x00\x1b\u009b\u202e<&\u2028\U000e0041]{1,9}"), rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
	}))
}

func anyTime(t *rapid.T, name string) time.Time {
	return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, name), rapid.Int64Range(0, 999_999_999).Draw(t, name+" ns")).UTC()
}

func anyLabel(t *rapid.T) value.Label {
	return value.NewLabel(rapid.SliceOfN(anyText(), 0, 3).Draw(t, "tags")...)
}

func anyError(t *rapid.T) error {
	kind := fail.Kind(rapid.IntRange(0, int(fail.Breach)).Draw(t, "kind"))
	switch rapid.IntRange(0, 3).Draw(t, "error") {
	case 0:
		return nil
	case 1:
		return errors.New(anyText().Draw(t, "text"))
	case 2:
		return fmt.Errorf("%s: %w", anyText().Draw(t, "text"), &fail.Error{Kind: kind, Msg: anyText().Draw(t, "msg")})
	}
	e := &fail.Error{Kind: kind, Op: anyText().Draw(t, "op"), Msg: anyText().Draw(t, "msg"),
		Pos: fail.Pos{Line: rapid.IntRange(0, 9).Draw(t, "line"), Column: rapid.IntRange(0, 9).Draw(t, "column"), Text: anyText().Draw(t, "source")}}
	if rapid.Bool().Draw(t, "cause") {
		e.Err = errors.New(anyText().Draw(t, "cause text"))
	}
	return e
}

func anyEntry() *rapid.Generator[exo.Entry] {
	return rapid.Custom(func(t *rapid.T) exo.Entry {
		e := exo.Entry{RunID: exo.NewRunID(), Step: exo.Step(rapid.IntRange(1, int(exo.Ended)).Draw(t, "step")), At: anyTime(t, "at"),
			Call: rapid.Uint64().Draw(t, "call"), Op: anyText().Draw(t, "op"), Pos: fail.Pos{Line: rapid.IntRange(0, 9).Draw(t, "line"), Column: rapid.IntRange(0, 9).Draw(t, "column")}, Effect: message.EffectMode(rapid.IntRange(0, int(message.Immediate)).Draw(t, "effect")),
			Label: anyLabel(t), Rows: rapid.Int().Draw(t, "rows"), Took: time.Duration(rapid.Int64().Draw(t, "took")),
			State: exo.State(rapid.IntRange(0, int(exo.StateUnknown)).Draw(t, "state")), Err: anyError(t)}
		if e.Step != exo.Ended {
			e.Message = append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "message")...)
		}
		for range rapid.IntRange(0, 2).Draw(t, "constants") {
			c := exo.Constant{Node: rapid.IntRange(0, 9).Draw(t, "node"), Digest: value.Digest{rapid.Byte().Draw(t, "of")}, Bytes: rapid.IntRange(0, 9).Draw(t, "bytes"), Call: rapid.Uint64().Draw(t, "in")}
			if rapid.Bool().Draw(t, "has it") {
				c.Value = append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "value")...)
			}
			e.Constants = append(e.Constants, c)
		}
		if rapid.Bool().Draw(t, "cut") {
			e.Omitted = &exo.Omitted{Digest: value.Digest{1}, Bytes: rapid.IntRange(0, 9).Draw(t, "cut bytes")}
		}
		if e.Step == exo.Committing && rapid.Bool().Draw(t, "says what is prepared") {
			n := rapid.IntRange(0, 9).Draw(t, "changed")
			e.Prepared = &exo.Prepared{Changed: n, Witnessed: rapid.IntRange(0, n).Draw(t, "witnessed")}
		}
		if e.Step == exo.Outcome && rapid.Bool().Draw(t, "kept") {
			e.Kept = &exo.Kept{Rows: rapid.IntRange(0, 9).Draw(t, "kept rows"), Bytes: rapid.IntRange(0, 9).Draw(t, "kept bytes"), Lost: anyText().Draw(t, "lost")}
			if e.Kept.Lost == "" {
				e.Kept.Types = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "types")
				e.Kept.Value = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "reply")
			}
		}
		copy(e.Digest[:], rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "digest"))
		for range rapid.IntRange(0, 2).Draw(t, "details") {
			e.Details = append(e.Details, map[string]any{"text": strings.ToValidUTF8(anyText().Draw(t, "detail"), "?")})
		}
		if e.Step == exo.Begun {
			e.Start = &exo.Start{Principal: exo.Principal(anyText().Draw(t, "principal")), Program: anyText().Draw(t, "program"), Label: anyLabel(t),
				Clock: anyTime(t, "clock"), Seed: rapid.Uint64().Draw(t, "seed"), Zone: anyText().Draw(t, "zone"), Limits: exo.Limits{}.OrDefault(), Granted: e.Digest}
			e.Start.Limits.Rows = rapid.Int().Draw(t, "limit")
			if rapid.Bool().Draw(t, "version") {
				packed := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "grants")
				e.Start.Grants = func() []byte { return packed }
				e.Start.Judged, e.Start.Preview = rapid.SliceOfN(anyText(), 1, 2).Draw(t, "judged"), rapid.Bool().Draw(t, "preview")
				e.Start.Admits, e.Start.Module, e.Start.Encoding = anyLabel(t), anyText().Draw(t, "module"), rapid.IntRange(0, 9).Draw(t, "encoding")
			}
			if rapid.Bool().Draw(t, "bounds") {
				e.Start.Bounds = map[string]int64{"Wall": rapid.Int64().Draw(t, "wall"), "Memory": 7}
			}
		}
		return e
	})
}

func all(t interface{ Fatal(...any) }, r io.Reader) (es []exo.Entry) {
	for e, err := range Read(r) {
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

// same compares an entry with what was read of it: errors by kind and texts, details as JSON.
func same(a, b exo.Entry) bool {
	if (a.Err == nil) != (b.Err == nil) || a.Err != nil && (a.Err.Error() != b.Err.Error() || fail.KindOf(a.Err) != fail.KindOf(b.Err) || fail.GuestText(a.Err) != fail.GuestText(b.Err) || fail.PosOf(a.Err) != fail.PosOf(b.Err)) {
		return false
	}
	x, _ := json.Marshal(a.Details)
	y, _ := json.Marshal(b.Details)
	var xs, ys any
	if json.Unmarshal(x, &xs) != nil || json.Unmarshal(y, &ys) != nil || !reflect.DeepEqual(xs, ys) {
		return false
	}
	a.Err, b.Err, a.Details, b.Details = nil, nil, nil, nil
	for _, e := range []*exo.Entry{&a, &b} {
		if s := e.Start; s != nil && s.Grants != nil { // a function equals no other
			own := *s
			own.Module, own.Grants, e.Start = own.Module+string(s.Grants()), nil, &own
		}
	}
	return reflect.DeepEqual(a, b)
}

// What is read of a record is what was recorded, field by field; each entry is one line and
// one call of Write; and nothing in a line can act on a terminal.
func TestReadAsRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := rapid.SliceOfN(anyEntry(), 1, 4).Draw(t, "entries")
		w := &writer{}
		l := New(w)
		l.KeepReplies(Replies{})
		for _, e := range es {
			if err := l.Record(context.Background(), e); err != nil {
				t.Fatal(err)
			}
		}
		if l.Err() != nil || w.calls != len(es) || strings.Count(w.String(), "\n") != len(es) {
			t.Fatalf("%d entries in %d calls: %v\n%s", len(es), w.calls, l.Err(), w.String())
		}
		if i := strings.IndexFunc(w.String(), func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
		}); i >= 0 {
			t.Fatalf("%q", w.String()[i:])
		}
		got := all(t, strings.NewReader(w.String()))
		if len(got) != len(es) {
			t.Fatalf("%d of %d entries", len(got), len(es))
		}
		again := &writer{}
		l = New(again)
		l.KeepReplies(Replies{})
		for i := range es {
			if !same(es[i], got[i]) {
				t.Fatalf("%+v\nis read as\n%+v\n%s", es[i], got[i], w.String())
			}
			if err := l.Record(context.Background(), got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if again.String() != w.String() {
			t.Fatalf("written again as\n%s\nnot\n%s", again.String(), w.String())
		}
	})
}

type writer struct {
	bytes.Buffer
	calls int
	fail  func([]byte) (int, error)
}

func (w *writer) Write(b []byte) (int, error) {
	w.calls++
	if w.fail != nil {
		n, err := w.fail(b)
		w.Buffer.Write(b[:n])
		return n, err
	}
	return w.Buffer.Write(b)
}

// Each field is named in a line of version 1, which is read as long as there are such lines.
func TestGoldenLine(t *testing.T) {
	id, _ := exo.ParseRunID("000102030405060708090a0b0c0d0e0f")
	at := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	d := value.Digest{1, 31: 2}
	for _, c := range []struct {
		e    exo.Entry
		want string
	}{
		{exo.Entry{RunID: id, Step: exo.Begun, At: at, Start: &exo.Start{Principal: "ann", Program: "1", Label: value.NewLabel("b", "a"), Clock: at, Seed: 1<<64 - 1, Zone: "Asia/Tokyo", Granted: d}},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"begun","at":"2026-01-02T03:04:05.000000678Z","start":{"principal":"ann","program":"1","label":["a","b"],"clock":"2026-01-02T03:04:05.000000678Z","seed":"18446744073709551615","zone":"Asia/Tokyo","limits":` + limitsJSON(exo.Limits{}) + `,"granted":"0100000000000000000000000000000000000000000000000000000000000002"}}`},
		{exo.Entry{RunID: id, Step: exo.Begun, At: at, Start: &exo.Start{Program: "1", Clock: at, Granted: d, Admits: value.NewLabel("b", "a"), Judged: []string{"g"}, Module: "v1.2.3", Encoding: 1}},
			`{"v":3,"run":"000102030405060708090a0b0c0d0e0f","step":"begun","at":"2026-01-02T03:04:05.000000678Z","start":{"principal":"","program":"1","clock":"2026-01-02T03:04:05.000000678Z","seed":"0","limits":` + limitsJSON(exo.Limits{}) + `,"granted":"0100000000000000000000000000000000000000000000000000000000000002","admits":["a","b"],"judged":["g"],"module":"v1.2.3","encoding":1}}`},
		{exo.Entry{RunID: id, Step: exo.Outcome, At: at, Call: 7, Op: "todos.put", Effect: message.InUnit, Message: []byte{1, 255}, Label: value.NewLabel("x"), State: exo.StateHeld, Rows: 2, Took: 1500 * time.Nanosecond, Digest: d, Details: []any{json.RawMessage(`{"sql":"x"}`)},
			Err: &fail.Error{Kind: fail.Denied, Op: "o", Msg: "m", Pos: fail.Pos{Line: 1, Column: 2, Text: "s"}, Err: errors.New("c")}},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"outcome","at":"2026-01-02T03:04:05.000000678Z","call":7,"op":"todos.put","effect":"unit","message":"Af8=","label":["x"],"state":"held","rows":2,"took":"1.5µs","digest":"0100000000000000000000000000000000000000000000000000000000000002","err":{"kind":"denied","op":"o","msg":"m","source":"s","line":1,"column":2,"cause":"c"},"details":[{"sql":"x"}]}`},
		{exo.Entry{RunID: id, Step: exo.Ended, At: at, Err: errors.New("plain \xff")},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"ended","at":"2026-01-02T03:04:05.000000678Z","err":{"kind":"internal","text":{"base64":"cGxhaW4g/w=="}}}`},
		{exo.Entry{RunID: id, Step: exo.Committing, At: at, Prepared: &exo.Prepared{Changed: 2, Witnessed: 1}},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"committing","at":"2026-01-02T03:04:05.000000678Z","prepared":{"changed":2,"witnessed":1}}`},
		{exo.Entry{RunID: id, Step: exo.Refused, At: at, Call: 1, Op: "o", Pos: fail.Pos{Line: 3, Column: 4}},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"refused","at":"2026-01-02T03:04:05.000000678Z","call":1,"op":"o","line":3,"column":4}`},
		{exo.Entry{RunID: id, Step: exo.Intent, At: at, Call: 2, Message: []byte("m"), Constants: []exo.Constant{{Node: 1, Digest: value.Digest{1}, Bytes: 5000, Value: []byte("v"), Call: 2}, {Node: 3, Digest: value.Digest{2}, Bytes: 9}}},
			`{"v":2,"run":"000102030405060708090a0b0c0d0e0f","step":"intent","at":"2026-01-02T03:04:05.000000678Z","call":2,"message":"bQ==","constants":[{"node":1,"digest":"01` + strings.Repeat("0", 62) + `","bytes":5000,"value":"dg==","call":2},{"node":3,"digest":"02` + strings.Repeat("0", 62) + `","bytes":9}]}`},
		{exo.Entry{RunID: id, Step: exo.Intent, At: at, Call: 2, Omitted: &exo.Omitted{Digest: value.Digest{1}, Bytes: 9}},
			`{"v":2,"run":"000102030405060708090a0b0c0d0e0f","step":"intent","at":"2026-01-02T03:04:05.000000678Z","call":2,"cut":{"digest":"01` + strings.Repeat("0", 62) + `","bytes":9}}`},
		{exo.Entry{RunID: id, Step: exo.Outcome, At: at, Call: 2, Kept: &exo.Kept{Value: []byte("v"), Rows: 1, Bytes: 5}},
			`{"v":3,"run":"000102030405060708090a0b0c0d0e0f","step":"outcome","at":"2026-01-02T03:04:05.000000678Z","call":2,"reply":{"records":1,"bytes":5,"value":"dg=="}}`},
		{exo.Entry{RunID: id, Step: exo.Outcome, At: at, Call: 2, Kept: &exo.Kept{Lost: "why"}},
			`{"v":3,"run":"000102030405060708090a0b0c0d0e0f","step":"outcome","at":"2026-01-02T03:04:05.000000678Z","call":2,"reply":{"records":0,"bytes":0,"lost":"why"}}`},
		{exo.Entry{RunID: id, Step: exo.Committed, At: at, State: exo.StateRolledBack},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"committed","at":"2026-01-02T03:04:05.000000678Z","state":"rolledback"}`},
		{exo.Entry{RunID: id, Step: exo.AfterCommitFailed, At: at, Took: time.Millisecond, Err: errors.New("x")},
			`{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"settled","at":"2026-01-02T03:04:05.000000678Z","took":"1ms","err":{"kind":"internal","text":"x"}}`},
	} {
		b, err := appendLine(nil, &c.e, &runs{keep: &Replies{}})
		if err != nil || string(b) != c.want+"\n" {
			t.Errorf("%v: got\n%swant\n%s", err, b, c.want)
		}
	}
	if n := reflect.TypeOf(exo.Entry{}).NumField(); n != 21 {
		t.Errorf("an entry has %d fields; a line was made for 21", n)
	}
	if n := reflect.TypeOf(exo.Prepared{}).NumField(); n != 2 {
		t.Errorf("what was prepared has %d fields; a line was made for 2", n)
	}
	for what, name := range map[string]fmt.Stringer{"step(13)": lastStep + 1, "effect(4)": lastEffect + 1, "state(7)": lastState + 1} {
		if name.String() != what {
			t.Errorf("%v, and a line knows none such", name)
		}
	}
	if n := reflect.TypeOf(exo.Start{}).NumField(); n != 15 {
		t.Errorf("a start has %d fields; a line was made for 15", n)
	}
	if n := reflect.TypeOf(fail.Error{}).NumField(); n != 6 {
		t.Errorf("an error has %d fields; a line was made for 6", n)
	}
}

func limitsJSON(l exo.Limits) string { b, _ := json.Marshal(l); return string(b) }

// What is no line of this version is refused, and said where it stands.
func TestRefusedLines(t *testing.T) {
	good := `{"v":1,"run":"000102030405060708090a0b0c0d0e0f","step":"ended","at":"2026-01-02T03:04:05Z"}` + "\n"
	if len(all(t, strings.NewReader(good+good))) != 2 {
		t.Fatal("the good twin")
	}
	committing := func(p string) string {
		return strings.Replace(strings.Replace(good, "ended", "committing", 1), `}`, `,"prepared":`+p+`}`, 1)
	}
	if e := all(t, strings.NewReader(committing(`{"changed":2,"witnessed":1}`)))[0]; e.Prepared == nil || *e.Prepared != (exo.Prepared{Changed: 2, Witnessed: 1}) {
		t.Fatal("the good twin of prepared")
	}
	for bad, want := range map[string]string{
		strings.Replace(good, `"v":1`, `"v":2`, 1):                                "line 2: the line has version 2, but its fields are of version 1",
		strings.Replace(good, `}`, `,"cut":{"digest":"","bytes":1}}`, 1):          "line 2: the line has version 1, but its fields are of version 2",
		strings.Replace(good, `}`, `,"constants":[{"Node":1}]}`, 1):               "unknown field",
		strings.Replace(good, `"v":1`, `"v":4`, 1):                                "line 2: the line has version 4",
		strings.Replace(good, `"v":1`, `"v":4,"new":3`, 1):                        "line 2: the line has version 4",
		strings.Replace(good, `}`, `,"start":{"seed":"1","module":"v1"}}`, 1):     "line 2: the line has version 1, but its fields are of version 3",
		strings.Replace(good, `"v":1,`, ``, 1):                                    "line 2: the line has version 0",
		strings.Replace(good, `"v":1`, `"v":1,"new":3`, 1):                        "unknown field",
		strings.Replace(good, `"ended"`, `"left"`, 1):                             `the line has the unknown step "left"`,
		strings.Replace(good, `"ended"`, `"none"`, 1):                             `the line has the unknown step "none"`,
		strings.Replace(good, `"step":"ended",`, ``, 1):                           "the field step is missing",
		strings.Replace(good, `"run":"000102030405060708090a0b0c0d0e0f",`, ``, 1): "the field run is missing",
		strings.Replace(good, "0001", "00", 1):                                    "ID of a run",
		strings.Replace(good, `}`, `,"digest":"00"}`, 1):                          "no SHA-256 digest",
		strings.Replace(good, `}`, `,"state":"done"}`, 1):                         `the line has the unknown state "done"`,
		strings.Replace(good, `}`, `,"effect":"much"}`, 1):                        `the line has the unknown effect "much"`,
		strings.Replace(good, `}`, `,"effect":"effect(4)"}`, 1):                   `the line has the unknown effect "effect(4)"`,
		strings.Replace(good, `}`, `,"prepared":{"changed":0,"witnessed":0}}`, 1): "only a committing entry",
		committing(`{}`):                                        "lacks its member changed or witnessed",
		committing(`{"changed":0}`):                             "lacks its member changed or witnessed",
		committing(`{"witnessed":0}`):                           "lacks its member changed or witnessed",
		committing(`{"changed":1,"witnessed":2}`):               "no more witnessed than changed",
		committing(`{"changed":1,"witnessed":-1}`):              "no more witnessed than changed",
		committing(`{"changed":1,"witnessed":1,"lost":1}`):      "unknown field",
		strings.Replace(good, `}`, `,"took":"1"}`, 1):           "missing unit",
		strings.Replace(good, `}`, `,"err":{"kind":"odd"}}`, 1): `unknown kind "odd"`,
		strings.Replace(good, `}`, `,"start":{"seed":"x"}}`, 1): "invalid syntax",
		strings.Replace(good, "\n", "{}\n", 1):                  "more than one",
		"\n":                                                    "line 2",
		strings.Replace(good, "}", "}}", 1):                     "more than one",
		"{}\n":                                                  "version 0",
		strings.TrimSpace(good):                                 "the last line is incomplete",
		strings.Repeat("x", 99) + "\n":                          "invalid character",
	} {
		n := 0
		var failed error
		for _, err := range Read(strings.NewReader(good + bad + good)) {
			if failed != nil {
				t.Errorf("%q: it was read on", bad)
			}
			if failed = err; err == nil {
				n++
			}
		}
		if strings.Contains(want, "incomplete") {
			n, failed = 0, nil
			for _, err := range Read(strings.NewReader(good + bad)) {
				if failed = err; err == nil {
					n++
				}
			}
		}
		if n != 1 || failed == nil || !strings.Contains(failed.Error(), want) {
			t.Errorf("%q: %d entries, %v; want %q", bad, n, failed, want)
		}
	}
	for _, r := range []io.Reader{io.MultiReader(strings.NewReader(good), failing{}), failing{}} {
		var failed error
		for _, err := range Read(r) {
			failed = err
		}
		if !errors.Is(failed, errDisk) {
			t.Errorf("a reader that fails: %v", failed)
		}
	}
}

var errDisk = errors.New("the disk is full")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func entry(id exo.RunID, step exo.Step) exo.Entry {
	return exo.Entry{RunID: id, Step: step, At: time.Now()}
}

// Entries of many goroutines stand in lines of their own.
func TestLinesNeverMix(t *testing.T) {
	w := &writer{}
	l := New(w)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			id := exo.NewRunID()
			for k := range 50 {
				e := entry(id, exo.Intent)
				e.Call, e.Op = uint64(k+1), strings.Repeat(id.String(), k)
				if err := l.Record(t.Context(), e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	last := map[exo.RunID]uint64{}
	for _, e := range all(t, w) {
		if e.Call != last[e.RunID]+1 || e.Op != strings.Repeat(e.RunID.String(), int(e.Call)-1) {
			t.Errorf("call %d of %v after %d", e.Call, e.RunID, last[e.RunID])
		}
		last[e.RunID] = e.Call
	}
	if len(last) != 8 || w.calls != 400 {
		t.Errorf("%d runs, %d writes", len(last), w.calls)
	}
}

// What has no place in a record is refused, and nothing of it is written.
func TestRefusedEntries(t *testing.T) {
	w := &writer{}
	l := New(w)
	id := exo.NewRunID()
	if err := l.Record(t.Context(), entry(id, exo.Begun)); err != nil {
		t.Fatal(err)
	}
	was := w.Len()
	for what, e := range map[string]exo.Entry{
		"a run twice": entry(id, exo.Begun), "no run": entry(exo.RunID{}, exo.Begun), "no step": entry(id, 0), "a step that is none": entry(id, exo.Ended+1),
		"an effect that is none": {RunID: id, Step: exo.Outcome, Effect: lastEffect + 1}, "a state that is none": {RunID: id, Step: exo.Outcome, State: lastState + 1},
		"prepared too late": {RunID: id, Step: exo.Committed, Prepared: &exo.Prepared{}}, "more witnessed than changed": {RunID: id, Step: exo.Committing, Prepared: &exo.Prepared{Witnessed: 1}},
		"the year 10000": {RunID: id, Step: exo.Outcome, At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "the year -1": {RunID: id, Step: exo.Outcome, At: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
		"the year 10000 in UTC":     {RunID: id, Step: exo.Outcome, At: time.Date(9999, 12, 31, 23, 59, 0, 0, time.FixedZone("", -3600))},
		"a clock of the year 10000": {RunID: exo.NewRunID(), Step: exo.Begun, Start: &exo.Start{Clock: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"a clock of the year -1":    {RunID: exo.NewRunID(), Step: exo.Begun, Start: &exo.Start{Clock: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}}, "a long line": {RunID: id, Step: exo.Intent, Message: make([]byte, maxLine)},
	} {
		if err := l.Record(t.Context(), e); err == nil || w.Len() != was {
			t.Errorf("%s: %v, %d bytes", what, err, w.Len()-was)
		}
	}
	if err := l.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)); err != nil {
		t.Error(err)
	}
	if len(all(t, w)) != 2 {
		t.Error("the record")
	}
	if err := new(Lines).Record(t.Context(), entry(id, exo.Begun)); err == nil {
		t.Error("the zero Lines records")
	}
}

// A writer's error is returned and stays to be seen. Where nothing was written the next
// entry may be; after half a line nothing is.
func TestWriterFails(t *testing.T) {
	for name, c := range map[string]struct {
		fail func([]byte) (int, error)
		over bool
	}{
		"nothing":   {func([]byte) (int, error) { return 0, errDisk }, false},
		"half":      {func(b []byte) (int, error) { return len(b) / 2, errDisk }, true},
		"all":       {func(b []byte) (int, error) { return len(b), errDisk }, true},
		"too short": {func(b []byte) (int, error) { return len(b) - 1, nil }, true},
	} {
		w := &writer{}
		l := New(w)
		id := exo.NewRunID()
		w.fail = c.fail
		first := l.Record(t.Context(), entry(id, exo.Begun))
		w.fail = nil
		second := l.Record(t.Context(), entry(id, exo.Begun)) // it has not begun
		if first == nil || l.Err() == nil || l.Err().Error() != first.Error() || (second != nil) != c.over {
			t.Errorf("%s: %v, then %v; %v", name, first, second, l.Err())
		}
		if c.over && !errors.Is(second, errors.Unwrap(first)) {
			t.Errorf("%s: %v does not say why", name, second)
		}
		if !c.over && len(all(t, w)) != 1 {
			t.Errorf("%s: %q", name, w.String())
		}
	}
}
