package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/testutil"
)

// counter counts what is written.
type counter struct{ n, most int }

func (c *counter) Write(b []byte) (int, error) {
	c.n, c.most = c.n+len(b), max(c.most, len(b))
	return len(b), nil
}

// flood sends what a hostile program sends: in each of 500 calls a constant of 200 KB.
func flood(t testing.TB, to exo.Recorder, o exo.Object, each func()) (refused int) {
	t.Helper()
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"echo": o}, Record: to})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := gate.Begin(ctx, exo.Run{}, "a program", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpLit, Recv: -1, Lit: value.Text(strings.Repeat("x", 200_000))}, {Op: message.OpCall, Name: "say", Recv: 0, Args: []int32{1}}}}
	for id := range uint64(500) {
		if err := s.Submit(exo.Call{ID: id + 1, Expr: x}); err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if fail.KindOf(r.Err) == fail.Limit {
			refused++
		} else if r.Err != nil {
			t.Fatal(r.Err)
		}
		each()
	}
	_ = s.Finish(ctx, value.Null(), nil)
	return refused
}

// A program that only reads can't make the record of its run grow: neither by its constants nor by what objects say of
// each message. Before there were bounds these were 133 and 500 MB.
func TestGrowth(t *testing.T) {
	testutil.NotRaced(t)
	for name, c := range map[string]struct {
		object exo.Object
		most   int
	}{"a large constant": {quiet{}, 1 << 20}, "large details": {talks{}, maxRunDetails + 2<<20}} {
		w, peak := &counter{}, uint64(0)
		var m runtime.MemStats
		refused := flood(t, New(w), c.object, func() {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		})
		if w.n > c.most || w.n < 100_000 || w.most > 3<<20 || refused < 400 {
			t.Errorf("%s: %d bytes, the largest entry %d, %d calls refused", name, w.n, w.most, refused)
		}
		if peak > 250<<20 {
			t.Errorf("%s: %d MB of heap", name, peak>>20)
		}
	}
}

// quiet says nothing of a message.
type quiet struct{ echo }

func (quiet) Eval(context.Context, *exo.Message) (value.Value, error) { return value.Null(), nil }

// talks says a megabyte of each message.
type talks struct{ echo }

func (talks) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	m.AddDetail(json.RawMessage(`"` + strings.Repeat("d", maxDetails-100) + `"`))
	return value.Null(), nil
}

// A note has the size and the digest of the details of a run that are left out.
func TestDetailsOfARun(t *testing.T) {
	w := &writer{}
	l := New(w)
	a, b := exo.NewRunID(), exo.NewRunID()
	large := json.RawMessage(`"` + strings.Repeat("d", maxDetails-100) + `"`)
	for _, id := range []exo.RunID{a, b} {
		if err := l.Record(t.Context(), entry(id, exo.Begun)); err != nil {
			t.Fatal(err)
		}
	}
	record := func(id exo.RunID, step exo.Step, details ...any) string {
		t.Helper()
		w.Reset()
		e := entry(id, step)
		e.Details = details
		if err := l.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, d := range all(t, strings.NewReader(w.String()))[0].Details {
			text = append(text, string(d.(json.RawMessage)[:min(len(d.(json.RawMessage)), 200)]))
		}
		return strings.Join(text, "\n")
	}
	for range 16 {
		if got := record(a, exo.Outcome, large); strings.Contains(got, "note") {
			t.Fatal(got)
		}
	}
	got := record(a, exo.Outcome, large, json.RawMessage(`1`))
	if !strings.Contains(got, "2 details of 1048479 bytes (SHA-256 ") || !strings.Contains(got, "of the messages of a run have at most 16777216 bytes") {
		t.Error(got)
	}
	if got := record(a, exo.Committing, large, 2); strings.Contains(got, "note") { // images of rows have room of their own
		t.Error(got)
	}
	if got := record(b, exo.Outcome, large); strings.Contains(got, "note") { // and so has another run
		t.Error(got)
	}
}

// A record in memory knows a bounded number of runs.
func TestBegunIsBounded(t *testing.T) {
	l := New(io.Discard)
	first := exo.NewRunID()
	for i := range maxBegun + 10 {
		id := exo.NewRunID()
		if i == 0 {
			id = first
		}
		if i == maxBegun-1 {
			if l.Record(t.Context(), entry(first, exo.Begun)) == nil {
				t.Error("an ID that comes again was taken")
			}
		}
		if err := l.Record(t.Context(), entry(id, exo.Begun)); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.begun.details) != maxBegun || len(l.begun.order) != maxBegun {
		t.Errorf("%d runs", len(l.begun.details))
	}
	if err := l.Record(t.Context(), entry(first, exo.Begun)); err != nil {
		t.Errorf("one that began %d runs ago: %v", maxBegun+10, err)
	}
}

// lines are n entries of at least size bytes each, of one run each.
func lines(t testing.TB, n, size int) (b []byte) {
	t.Helper()
	for range n {
		e := entry(exo.NewRunID(), exo.Begun)
		e.Op = strings.Repeat("o", size)
		var err error
		if b, err = appendLine(b, &e, &runs{}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// A record is opened by its end, whatever its size and wherever its lines end. What stands there is checked as before; what
// stands before it is not read, which Unsettled finds.
func TestOpenReadsTheEnd(t *testing.T) {
	testutil.NotRaced(t)
	bad := []byte("{\"v\":1}\n")
	for name, c := range map[string]struct {
		text []byte
		says string // the error of Open; "": none
		torn int
	}{
		"short":                           {lines(t, 3, 10), "", 0},
		"long":                            {lines(t, 40, 100_000), "", 0},
		"long, torn":                      {append(lines(t, 40, 100_000), "{\"v\":1,"...), "", 7},
		"long, much torn":                 {append(lines(t, 40, 100_000), strings.Repeat("x", 3<<20)...), "", 3 << 20},
		"a last line of 5 MB":             {lines(t, 3, 5<<20), "", 0},
		"nothing but a torn line of 3 MB": {[]byte(strings.Repeat("x", 3<<20)), "", 3 << 20},
		"long, a bad last line":           {append(lines(t, 40, 100_000), bad...), "the field run is missing", 0},
		"long, a bad line at its end":     {bytes.Join([][]byte{lines(t, 40, 100_000), bad, lines(t, 2, 10)}, nil), " after byte ", 0},
		"long, a bad line far before it":  {append(bytes.Clone(bad), lines(t, 40, 100_000)...), "", 0},
		"a line that is too long":         {append(lines(t, 2, 10), strings.Repeat("x", maxLine+200<<10)...), "has more than 67108864 bytes", 0},
	} {
		path := filepath.Join(t.TempDir(), "record")
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, c.text) {
				t.Errorf("%s: the file has other bytes", name)
			}
			continue
		}
		if err != nil || f.Torn() != int64(c.torn) {
			t.Errorf("%s: %v, torn %d", name, err, f.Torn())
			continue
		}
		if err := f.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.Unsettled(); (err != nil) != strings.Contains(name, "far before") {
			t.Errorf("%s: unsettled: %v", name, err)
		}
		// Of the last run in the file the ID is known.
		if before := all(t, bytes.NewReader(c.text[bytes.LastIndexByte(c.text[:max(0, len(c.text)-c.torn-1)], '\n')+1:len(c.text)-c.torn])); len(before) == 1 && f.Record(t.Context(), entry(before[0].RunID, exo.Begun)) == nil {
			t.Errorf("%s: a run begins again", name)
		}
		if err := f.Close(); err != nil {
			t.Error(name, err)
		}
	}
}

// disk is where a File appends that has room for some bytes.
type disk struct {
	f    *File
	mu   sync.Mutex
	room int
	part bool // what does not fit is written in part, as a file system does
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(b) <= d.room {
		d.room -= len(b)
		return (*end)(d.f).Write(b)
	}
	n := 0
	if d.part {
		n, _ = d.f.f.Write(b[:d.room])
	}
	return n, errFull
}

func (d *disk) make(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = room
}

// On a full disk the runs of all tenants end, and nothing of theirs is committed that is not on record; no other begins. The
// process goes on, and once there is room so do its runs. The file is a record at each time.
func TestFullDisk(t *testing.T) {
	for room := 0; room < 4000; room += 250 {
		for _, part := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "record")
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			d := &disk{f: f, room: room, part: part}
			f.w = d
			ledger := &ledger{}
			gates := make([]*exo.Gate, 4) // one of each tenant
			for i := range gates {
				if gates[i], err = exo.NewGate(exo.Config{Grants: map[string]exo.Object{"ledger": ledger}, Record: f}); err != nil {
					t.Fatal(err)
				}
			}
			tenants := func() (began, kept int) {
				var wg sync.WaitGroup
				var mu sync.Mutex
				for i, g := range gates {
					wg.Go(func() {
						s, err := g.Begin(context.Background(), exo.Run{Principal: exo.Principal(fmt.Sprint("tenant ", i))}, "a program", nil)
						if err != nil {
							if !errors.Is(err, errFull) || strings.Contains(fail.GuestText(err), "space") {
								t.Errorf("%v; the guest reads %q", err, fail.GuestText(err))
							}
							return
						}
						x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "add", Recv: 0}}}
						if err := s.Submit(exo.Call{ID: 1, Expr: x}); err != nil {
							t.Error(err)
						}
						r, _, _ := s.Next(context.Background())
						if r.Err != nil && (!errors.Is(r.Err, errFull) || strings.Contains(fail.GuestText(r.Err), "space")) {
							t.Errorf("%v; the guest reads %q", r.Err, fail.GuestText(r.Err))
						}
						err = s.Finish(context.Background(), value.Null(), r.Err)
						mu.Lock()
						defer mu.Unlock()
						if began++; err == nil {
							kept++
						}
					})
				}
				wg.Wait()
				return began, kept
			}
			began, kept := tenants()
			if committed, _ := ledger.counts(); kept > committed {
				t.Errorf("%d runs were told that they are kept, and %d are", kept, committed)
			}
			check := func(when string) (committed int) {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range all(t, bytes.NewReader(b)) {
					if e.Step == exo.Committing {
						committed++
					}
				}
				if n, _ := ledger.counts(); n > committed {
					t.Errorf("room for %d: %s: %d commits, and %d on record", room, when, n, committed)
				}
				return committed
			}
			check("full")
			if began2, _ := tenants(); began < 4 && began2 > 0 {
				t.Errorf("room for %d: %d runs begin on a full disk", room, began2)
			}
			d.make(1 << 20)
			if began, kept := tenants(); began != 4 || kept != 4 {
				t.Errorf("room for %d: there is room again, and %d of 4 runs begin, %d are kept", room, began, kept)
			}
			check("with room")
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if f, err = Open(path); err != nil || f.Torn() != 0 {
				t.Fatal(err)
			}
			if left, err := f.Unsettled(); err != nil || len(left) != 0 {
				t.Errorf("room for %d: %d runs are left unsettled, %v", room, len(left), err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Half a line that can't be taken back at once is taken back before the next.
func TestHalfALineIsTakenBackLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cut, broken := f.cut, true
	f.cut = func() error {
		if broken {
			return errDisk
		}
		return cut()
	}
	d := &disk{f: f, room: 9, part: true}
	f.w = d
	id := exo.NewRunID()
	for range 2 {
		if err := f.Record(t.Context(), entry(id, exo.Begun)); !errors.Is(err, errFull) {
			t.Error(err)
		}
		d.make(1 << 20)
	}
	broken = false
	if err := f.Record(t.Context(), entry(id, exo.Begun)); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); len(all(t, bytes.NewReader(b))) != 1 {
		t.Errorf("%s", b)
	}
}

// ledger changes something in a unit of work.
type ledger struct {
	mu                  sync.Mutex
	committed, rolledBk int
}

func (l *ledger) counts() (committed, rolledBack int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.committed, l.rolledBk
}

func (l *ledger) Describe() (message.Description, error) {
	m := map[string]*message.Method{"add": {Name: "add", Sends: true, Effect: message.InUnit, Result: &message.Term{Con: &message.Type{Name: value.TypeNull}}}}
	return message.Description{Type: &message.Type{Name: "Ledger"}, Interfaces: []*message.Interface{{Name: "Ledger", Methods: m}}}, nil
}

func (l *ledger) UnitKey() any { return l }

func (l *ledger) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	_, err := m.Unit(l, func(context.Context) (exo.Unit, error) { return l, nil })
	return value.Null(), err
}

func (l *ledger) Prepare(context.Context) error { return nil }

func (l *ledger) Commit(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.committed++
	return nil
}

func (l *ledger) Rollback(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rolledBk++
	return nil
}
