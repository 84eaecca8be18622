package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

type settlingUnit struct{ shopUnit }

func (u settlingUnit) AfterCommit(ctx context.Context) error { return u.s.did(ctx, "settle") }

// TestSettler: a unit is asked once, when the record says that it is committed and before mails leave; where anything keeps the
// run from that, it is not. However it fails, everything is as if it had not.
func TestSettler(t *testing.T) {
	bad := errors.New("broken")
	fail := func(context.Context) error { return bad }
	for _, c := range []struct {
		name    string
		methods []string
		fails   string // this step
		how     func(context.Context) error
		record  Step // that the record does not take
		program error
		log     string
		settled string // what the record says of it
	}{
		{"a change", []string{"put"}, "", nil, 0, nil, "record committing, commit, record committed, settle, record ended", ""},
		{"a change and a mail", []string{"put", "mail"}, "", nil, 0, nil, "record committing, commit, record committed, settle, record acting, mail, record acted, record ended", ""},
		{"it fails", []string{"put", "mail"}, "settle", fail, 0, nil, "record committing, commit, record committed, settle, record settled, record acting, mail, record acted, record ended", "broken"},
		{"it panics", []string{"put"}, "settle", func(context.Context) error { panic("oh") }, 0, nil, "record committing, commit, record committed, settle, record settled, record ended", "panic: oh"},
		{"it does not heed its context", []string{"put"}, "settle", func(context.Context) error { select {} }, 0, nil, "record committing, commit, record committed, settle, record settled, record ended", within.ErrLost.Error()},
		{"nothing is changed", []string{"count"}, "", nil, 0, nil, "commit, record ended", ""},
		{"a mail alone", []string{"mail"}, "", nil, 0, nil, "record committing, record committed, record acting, mail, record acted, record ended", ""},
		{"the program fails", []string{"put"}, "", nil, 0, bad, "rollback, record ended", ""},
		{"the unit can't prepare", []string{"put"}, "prepare", fail, 0, nil, "rollback, record ended", ""},
		{"nothing is kept", []string{"put"}, "commit", func(context.Context) error { return fmt.Errorf("%w: no", ErrNothingDone) }, 0, nil, "record committing, commit, record committed, record ended", ""},
		{"nobody knows", []string{"put"}, "commit", fail, 0, nil, "record committing, commit, record committed, record ended", ""},
		{"no intent is recorded", []string{"put"}, "", nil, Committing, nil, "rollback, record ended", ""},
		{"that it is committed is recorded late", []string{"put"}, "", nil, Committed, nil, "record committing, commit, record committed, record ended", ""},
		{"that it fails is recorded late", []string{"put"}, "settle", fail, AfterCommitFailed, nil, "record committing, commit, record committed, settle, record settled, record ended", "broken"},
	} {
		s, settled := &shop{name: "a", settles: true, fail: map[string]func(context.Context) error{c.fails: c.how}}, ""
		broken := true
		w := end(t, s, func(e Entry) error {
			if e.Step == c.record && broken {
				broken = c.record == Committing
				return bad
			}
			if e.Step == AfterCommitFailed {
				settled = e.Err.Error()
			}
			return nil
		}, c.program, c.methods...)
		log := slices.DeleteFunc(s.log, func(what string) bool {
			return !slices.Contains([]string{"commit", "rollback", "settle", "mail", "record committing", "record committed", "record settled", "record acting", "record acted", "record ended"}, what)
		})
		if got := strings.Join(log, ", "); got != c.log {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.log)
		}
		if c.settled == "" && settled != "" || !strings.Contains(settled, c.settled) {
			t.Errorf("%s: settled %q", c.name, settled)
		}
		if c.fails == "settle" && (w.err != nil || s.kept != 1) {
			t.Errorf("%s: %v, %d kept", c.name, w.err, s.kept)
		}
	}

	// A store that was only read has committed nothing of which it could be told.
	wrote, read := &shop{name: "a", settles: true}, &shop{name: "b", settles: true}
	g, err := NewGate(Config{Grants: map[string]Object{"a": wrote, "b": read}, Record: Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, gate: g, s: begin(t, g, t.Context(), "ann")}
	w.send(msg(ref(0), call(0, "put")))
	w.send(msg(ref(1), call(0, "count")))
	if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || !slices.Contains(wrote.log, "settle") || slices.Contains(read.log, "settle") || !slices.Contains(read.log, "count") {
		t.Errorf("%v; who wrote: %v; who read: %v", err, wrote.log, read.log)
	}
}

var _ AfterCommitter = settlingUnit{}

type partUnit struct {
	shopUnit
	part bool
}

func (u partUnit) InHostTransaction() bool { return u.part }

// TestPart: what was committed as a part of a transaction of the host's is told to be so, and nothing else is.
func TestPart(t *testing.T) {
	for _, part := range []bool{true, false} {
		s := &shop{name: "a", wraps: func(u shopUnit) Unit { return partUnit{u, part} }}
		w := end(t, s, nil, nil, "put", "mail")
		if w.err != nil || len(w.s.Effects()) != 2 {
			t.Fatalf("%v %v", w.err, w.s.Effects())
		}
		for _, e := range w.s.Effects() {
			if e.Provisional != (part && e.Mode == message.InUnit) {
				t.Errorf("a part: %v, and it is told as %+v", part, e)
			}
		}
	}
}
