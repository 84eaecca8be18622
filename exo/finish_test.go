package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A shop is a store that a program may change, with a unit of work that a test can break
// at any point, and a mailer whose mails are held; post answers at once.
type shop struct {
	name  string
	mu    sync.Mutex
	log   []string // what happened to the world, in order
	fail  map[string]func(context.Context) error
	kept  int // rows, committed
	open  int // rows, in the unit
	opens int
	tells any // what its unit says that it changes, if it says anything

	settles bool                // its unit is an AfterCommitter
	wraps   func(shopUnit) Unit // what else its unit is
}

// unit is a ChangeLister where it tells something.
func (s *shop) unit() Unit {
	if s.tells != nil {
		return tellingUnit{shopUnit{s}}
	}
	if s.wraps != nil {
		return s.wraps(shopUnit{s})
	}
	if s.settles {
		return settlingUnit{shopUnit{s}}
	}
	return shopUnit{s}
}

type tellingUnit struct{ shopUnit }

func (u tellingUnit) Changes(ctx context.Context) (any, error) {
	return u.s.tells, u.s.did(ctx, "tell")
}

func (s *shop) did(ctx context.Context, what string) error {
	s.mu.Lock()
	s.log = append(s.log, what)
	f := s.fail[what]
	s.mu.Unlock()
	if f != nil {
		return f(ctx)
	}
	return nil
}

func (s *shop) Describe() (message.Description, error) {
	n := con(value.TypeInt)
	i := iface("Shop", nil, false,
		&message.Method{Name: "put", Sends: true, Effect: message.InUnit, Result: n},
		&message.Method{Name: "count", Sends: true, Result: n},
		&message.Method{Name: "mail", Sends: true, Effect: message.Held, Params: []message.Param{{Name: "whom", Want: con(value.TypeText), Opt: true}}, Result: &message.Term{Con: message.Receipt()}},
		&message.Method{Name: "post", Sends: true, Effect: message.Immediate, Result: n},
	)
	return message.Description{Type: &message.Type{Name: "Shop"}, Interfaces: []*message.Interface{i}}, nil
}

func (s *shop) UnitKey() any { return s.name }

func (s *shop) Validate(m *Message) error {
	if len(m.Args) > 0 && m.Args[0].Text() == "nobody" {
		return fail.Errorf(fail.Invalid, "", "there is no such address")
	}
	return nil
}

func (s *shop) Eval(ctx context.Context, m *Message) (value.Value, error) {
	switch name := m.Root.Name; name {
	case "mail", "post":
		if err := s.did(ctx, name); err != nil {
			return value.Value{}, err
		}
		return value.Int(7), nil
	default:
		if _, err := m.Unit(s.name, func(context.Context) (Unit, error) { s.opens++; return s.unit(), nil }); err != nil {
			return value.Value{}, err
		}
		if err := s.did(ctx, name); err != nil {
			return value.Value{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if name == "put" {
			s.open++
		}
		return value.Int(int64(s.kept + s.open)), nil
	}
}

type shopUnit struct{ s *shop }

func (u shopUnit) Prepare(ctx context.Context) error { return u.s.did(ctx, "prepare") }

func (u shopUnit) Commit(ctx context.Context) error {
	err := u.s.did(ctx, "commit")
	if err == nil {
		u.s.kept, u.s.open = u.s.kept+u.s.open, 0
	}
	return err
}

func (u shopUnit) Rollback(ctx context.Context) error {
	u.s.open = 0
	return u.s.did(ctx, "rollback")
}

// ending is one run of a shop, to its end.
type ending struct {
	*world
	shop *shop
	err  error // of Finish
}

// end sends the named methods, each after the reply to the one before, and finishes.
func end(t *testing.T, s *shop, record func(Entry) error, program error, methods ...string) *ending {
	t.Helper()
	return endOf(t, s, s, record, program, methods...)
}

// endOf is end of a program that finds o, an object of the shop.
func endOf(t *testing.T, o Object, s *shop, record func(Entry) error, program error, methods ...string) *ending {
	t.Helper()
	w := &ending{world: &world{t: t}, shop: s}
	g, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Limits: Limits{Commit: 100 * time.Millisecond, Held: 100 * time.Millisecond}, Record: RecordFunc(func(e Entry) error {
		if record != nil {
			if err := record(e); err != nil {
				return err
			}
		}
		w.events = append(w.events, e)
		s.did(context.Background(), "record "+e.Step.String())
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	w.gate, w.s = g, begin(t, g, t.Context(), "ann")
	for _, m := range methods {
		w.send(msg(ref(0), call(0, m)))
	}
	w.err = w.s.Finish(t.Context(), value.Null(), program)
	return w
}

// states are what became of the run's effects.
func (w *ending) states() string {
	var out []string
	for _, e := range w.s.Effects() {
		out = append(out, strings.TrimPrefix(e.Op, "shop.")+" "+e.State.String())
	}
	return strings.Join(out, ", ")
}

func (w *ending) recorded() string {
	var out []string
	for _, e := range w.events {
		s := e.Step.String()
		if e.State != NoState {
			s += "(" + e.State.String() + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// TestOrderOfTheEnd: what a run does at its end, and the record of it, stand in one order.
func TestOrderOfTheEnd(t *testing.T) {
	s := &shop{name: "a"}
	w := end(t, s, nil, nil, "put", "mail", "put", "mail")
	if w.err != nil {
		t.Fatal(w.err)
	}
	i := slices.Index(s.log, "record released")
	if got, want := strings.Join(s.log[i:], ", "), "record released, prepare, record committing, commit, record committed, "+
		"record acting, mail, record acted, record acting, mail, record acted, record ended"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := w.states(), "put applied, mail applied, put applied, mail applied"; got != want || s.kept != 2 {
		t.Errorf("%s; %d kept", got, s.kept)
	}
	for _, e := range w.events {
		if e.RunID != w.s.Run().ID || e.RunID == (RunID{}) || e.At.IsZero() {
			t.Errorf("%v of run %v at %v", e.Step, e.RunID, e.At)
		}
	}
	if st := w.events[0].Start; st == nil || st.Principal != "ann" || st.Clock.IsZero() || st.Seed == 0 || st.Limits.Commit != 100*time.Millisecond {
		t.Errorf("begun with %+v", w.events[0].Start)
	}
}

// TestRefusedRunKeepsNothing: a program that failed, whose result may not leave, or whose
// caller is gone, has changed nothing and sent nothing, and is told so.
func TestRefusedRunKeepsNothing(t *testing.T) {
	s := &shop{name: "a"}
	w := end(t, s, nil, errProgram, "put", "mail")
	if !errors.Is(w.err, errProgram) || s.kept != 0 || slices.Contains(s.log, "commit") || slices.Contains(s.log, "mail") || !slices.Contains(s.log, "rollback") {
		t.Errorf("failed: %v %d %v", w.err, s.kept, s.log)
	}
	if got := w.states(); got != "put rolled back, mail rolled back" {
		t.Error(got)
	}

	for _, read := range []string{"nothing", "before", "after"} {
		secret := read != "nothing"
		s := &shop{name: "a"}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		run := Run{}
		if read == "before" {
			run.Label = value.NewLabel("pii")
		}
		// Effects are sinks: one that admits the label is what a refused run could have used.
		for _, m := range g.catalog["Shop"].Methods {
			m.Admits = value.NewLabel("pii")
		}
		ses, err := g.Begin(t.Context(), run, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: ses}
		_, e := w.send(msg(ref(0), call(0, "put")))
		if read == "before" { // then it does not even begin
			wantKind(t, "put", e, fail.Denied)
			if len(s.log) > 0 || !strings.Contains(e.Error(), "nothing that this program changes would be kept: this program has read values labelled pii, so") {
				t.Errorf("%v, %v", s.log, e)
			}
		} else {
			wantOK(t, "put", e)
		}
		if read == "after" {
			ses.label = value.NewLabel("pii")
			// How it ends it may choose by what it read, so no effect from before says so.
			if err := ses.Finish(t.Context(), value.Null(), errProgram); !errors.Is(err, errProgram) || s.kept != 0 || len(ses.Effects()) != 1 || errors.Is(ses.Effects()[0].Err, errProgram) {
				t.Errorf("%v, %v", err, ses.Effects())
			}
			continue
		}
		err = ses.Finish(t.Context(), value.Null(), nil)
		if secret && (!errors.Is(err, fail.ErrDenied) || s.kept != 0) || !secret && (err != nil || s.kept != 1) {
			t.Errorf("read %s: %v, %d kept", read, err, s.kept)
		}
	}

	for _, gone := range []bool{true, false} {
		s := &shop{name: "a"}
		g, _ := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: Unrecorded})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &world{t: t, s: begin(t, g, ctx, "")}
		w.send(msg(ref(0), call(0, "put")))
		if gone {
			cancel()
		}
		err := w.s.Finish(ctx, value.Null(), nil)
		if gone && (!errors.Is(err, fail.ErrCancelled) || s.kept != 0) || !gone && (err != nil || s.kept != 1) {
			t.Errorf("caller gone %v: %v, %d kept", gone, err, s.kept)
		}
	}
}

// TestBrokenAnywhere breaks each point of the end of a run in each way that host code can
// break: nothing is lost, nothing is done twice, and what is told is what happened.
func TestBrokenAnywhere(t *testing.T) {
	boom := errors.New("boom")
	hang := make(chan struct{})
	defer close(hang)
	ways := map[string]func(context.Context) error{
		"error":       func(context.Context) error { return boom },
		"rolled back": func(context.Context) error { return fmt.Errorf("serialization: %w", ErrNothingDone) },
		"panic":       func(context.Context) error { panic("boom") },
		"slow":        func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"hang":        func(context.Context) error { <-hang; return nil },
	}
	for point, want := range map[string]map[string]string{
		"prepare": {"": "put rolled back, mail rolled back, mail rolled back"},
		"commit":  {"": "put unknown, mail failed, mail failed", "rolled back": "put rolled back, mail rolled back, mail rolled back"},
		"mail":    {"rolled back": "put applied, mail failed, mail failed", "slow": "put applied, mail unknown, mail failed", "hang": "put applied, mail unknown, mail failed", "": "put applied, mail unknown, mail unknown"},
		"put":     {"rolled back": "put rolled back, mail applied, mail applied", "": "put rolled back, mail rolled back, mail rolled back"},
	} {
		for way, f := range ways {
			if point == "put" && (way == "slow" || way == "hang") {
				continue // a run waits for its objects
			}
			t.Run(point+" "+way, func(t *testing.T) {
				s := &shop{name: "a", fail: map[string]func(context.Context) error{point: f}}
				w := end(t, s, nil, nil, "put", "mail", "mail")
				states := want[way]
				if states == "" {
					states = want[""]
				}
				if got := w.states(); got != states {
					t.Errorf("got %s, want %s\n%s", got, states, w.recorded())
				}
				if (w.err == nil) != (point == "mail" || point == "put" && way == "rolled back") {
					t.Error(w.err)
				}
				if n := times(s.log, "commit") + times(s.log, "rollback"); times(s.log, "commit") > 1 || n > 1 || n < 1 && way != "hang" {
					t.Errorf("the unit ended %d times: %v", n, s.log)
				}
				if times(s.log, "mail") > 2 || point != "mail" && times(s.log, "mail") > 0 && w.err != nil {
					t.Errorf("mails: %v", s.log)
				}
				if (s.kept == 1) != strings.HasPrefix(states, "put applied") {
					t.Errorf("%d kept, and told %s", s.kept, states)
				}
				if last := w.events[len(w.events)-1]; last.Step != Ended || (last.Err == nil) != (w.err == nil) {
					t.Errorf("the record ends %v %v", last.Step, last.Err)
				}
			})
		}
	}
}

func times(log []string, what string) (n int) {
	for _, l := range log {
		if l == what {
			n++
		}
	}
	return n
}

// TestRecordBroken breaks the record at each entry, by an error and by a panic. Before the
// commit nothing is kept; after it what was done is told as unknown, no mail leaves that was
// not recorded before, and no effect is admitted until what is owed has been appended.
func TestRecordBroken(t *testing.T) {
	for _, panics := range []bool{false, true} {
		for at, want := range map[Step]string{
			Intent: "", Outcome: "put rolled back, mail rolled back", Released: "put rolled back, mail rolled back",
			Committing: "put rolled back, mail rolled back", Committed: "put unknown, mail failed", Acting: "put applied, mail failed",
			Acted: "put applied, mail applied", Ended: "put applied, mail applied",
		} {
			t.Run(fmt.Sprint(at, " panics ", panics), func(t *testing.T) {
				s, broken := &shop{name: "a"}, true
				w := end(t, s, func(e Entry) error {
					if e.Step == at && broken {
						if panics {
							panic("the disk is full")
						}
						return errors.New("the disk is full")
					}
					return nil
				}, nil, "put", "mail")
				if panics && at == Outcome {
					want = "put rolled back" // the mail is not admitted any more
				}
				if got := w.states(); got != want {
					t.Errorf("got %q, want %q\n%s", got, want, w.recorded())
				}
				committed := at == Committed || at == Acting || at == Acted || at == Ended
				if (s.kept == 1) != committed || (w.err == nil) != (committed && at != Committed) {
					t.Errorf("kept %d, %v", s.kept, w.err)
				}
				if mails := times(s.log, "mail"); mails != map[bool]int{true: 1}[at == Acted || at == Ended] {
					t.Errorf("%d mails", mails)
				}
				if panics != (w.s.Panicked() != nil) {
					t.Error(w.s.Panicked())
				}

				// Another run of the gate: reads go on, nothing is changed while the record is broken.
				next := func() error {
					ses, err := w.gate.Begin(t.Context(), Run{}, "", nil)
					if err != nil {
						return err
					}
					n := &world{t: t, s: ses}
					defer n.s.Finish(t.Context(), value.Value{}, errProgram)
					if _, err := n.send(msg(ref(0), call(0, "post"))); err != nil {
						return err
					}
					return nil
				}
				if err := next(); (at == Committed || at == Acted || at == Ended) != (fail.KindOf(err) == fail.Internal) && at != Intent && at != Outcome {
					t.Errorf("with the record broken: %v", err)
				}
				broken = false
				if err := next(); err != nil {
					t.Errorf("with the record mended: %v", err)
				}
				// What was owed is there, and the entries of the run stand in its order.
				var of []Entry
				for _, e := range w.events {
					if e.RunID == w.s.Run().ID {
						of = append(of, e)
					}
				}
				if !slices.IsSortedFunc(of, func(a, b Entry) int {
					if a.Call != b.Call && a.Step <= Outcome && b.Step <= Outcome {
						return 0 // messages
					}
					return int(a.Step) - int(b.Step)
				}) || of[len(of)-1].Step != Ended || committed != slices.ContainsFunc(of, func(e Entry) bool { return e.Step == Committed }) {
					t.Errorf("the record of the run: %s", w.recorded())
				}
			})
		}
	}
}

// TestImmediateAndPending: what acts for good is refused while anything is not final, by
// what was admitted and not by what has acted already; and it has happened, whatever comes.
func TestImmediateAndPending(t *testing.T) {
	for _, first := range []string{"put", "mail"} {
		s := &shop{name: "a"}
		w := end(t, s, nil, nil, first, "post")
		if times(s.log, "post") != 0 || w.err != nil || w.states() != first+" applied" {
			t.Errorf("after %s: %v %v", first, s.log, w.states())
		}
	}
	s := &shop{name: "a"}
	if w := end(t, s, nil, errProgram, "count", "post", "put"); w.states() != "post immediate, put rolled back" || times(s.log, "post") != 1 {
		t.Errorf("%v %v", s.log, w.states())
	}
	synctest.Test(t, func(t *testing.T) { // put waits, post is sent meanwhile
		s := &shop{name: "a"}
		release := make(chan struct{})
		s.fail = map[string]func(context.Context) error{"put": func(context.Context) error { <-release; return nil }}
		g, _ := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: Unrecorded})
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		w.submit(msg(ref(0), call(0, "put")))
		w.submit(msg(ref(0), call(0, "post")))
		synctest.Wait()
		close(release)
		w.next()
		_, err := w.next()
		wantKind(t, "sent while put acts", err, fail.Denied)
		w.s.Finish(t.Context(), value.Null(), nil)
	})
}

// TestSecondStore: a run changes one database, by the order in which its messages were
// admitted, unless the host accepts that nobody knows what became of two.
func TestSecondStore(t *testing.T) {
	for _, accept := range []bool{false, true} {
		a, b := &shop{name: "a"}, &shop{name: "b"}
		g, err := NewGate(Config{Grants: map[string]Object{"a": a, "b": b}, Record: Unrecorded, SeveralStores: accept})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		for id, want := range []bool{true, accept} {
			_, err := w.send(msg(ref(uint32(id)), call(0, "put")))
			if want {
				wantOK(t, "put", err)
			} else {
				wantKind(t, "put in a second database", err, fail.Denied)
			}
		}
		_, e := w.send(msg(ref(1), call(0, "count")))
		wantOK(t, "read of the second", e)
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || a.kept != 1 || b.kept != map[bool]int{true: 1}[accept] {
			t.Errorf("accept %v: %v, kept %d and %d", accept, err, a.kept, b.kept)
		}
	}
	// Where the second fails after the first has committed, each is told by itself.
	a, b := &shop{name: "a"}, &shop{name: "b", fail: map[string]func(context.Context) error{"commit": func(context.Context) error { return ErrNothingDone }}}
	g, _ := NewGate(Config{Grants: map[string]Object{"a": a, "b": b}, Record: Unrecorded, SeveralStores: true})
	w := &world{t: t, s: begin(t, g, t.Context(), "")}
	w.send(msg(ref(0), call(0, "put")))
	w.send(msg(ref(1), call(0, "put")))
	err := w.s.Finish(t.Context(), value.Null(), nil)
	if fx := w.s.Effects(); err == nil || fx[0].State != StateApplied || fx[1].State != StateRolledBack {
		t.Errorf("%v %+v", err, fx)
	}
}

// TestStoreOrder: messages of one store act one at a time and in the order in which they
// were sent, however long each takes; a count after a put counts it.
func TestStoreOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := &shop{name: "a"}, 0
		slower := func(context.Context) error { n++; time.Sleep(time.Duration(100-n) * time.Millisecond); return nil }
		s.fail = map[string]func(context.Context) error{"put": slower, "count": slower}
		g, _ := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: Unrecorded})
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		for range 20 {
			w.submit(msg(ref(0), call(0, "put")))
			w.submit(msg(ref(0), call(0, "count")))
		}
		for i := range 20 {
			put, e1 := w.next()
			got, e2 := w.next()
			if put.Int() != int64(i+1) || got.Int() != int64(i+1) || e1 != nil || e2 != nil {
				t.Fatalf("put %d gave %v and count %v (%v, %v)", i+1, put, got, e1, e2)
			}
		}
		w.s.Finish(t.Context(), value.Null(), nil)
	})
}

// TestHeldIsChecked: what is wrong with a held message is told at once, by its object.
func TestHeldIsChecked(t *testing.T) {
	s := &shop{name: "a"}
	g, _ := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: Unrecorded})
	w := &world{t: t, s: begin(t, g, t.Context(), "")}
	_, err := w.send(msg(ref(0), txt("nobody"), call(0, "mail", 1)))
	wantKind(t, "nobody", err, fail.Invalid)
	v, err := w.send(msg(ref(0), txt("bob"), call(0, "mail", 1)))
	if held, _ := v.Get("held"); err != nil || !held.Bool() || times(s.log, "mail") != 0 {
		t.Error(v, err, s.log)
	}
	if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || times(s.log, "mail") != 1 {
		t.Error(err, s.log)
	}
	if fx := w.s.Effects(); len(fx) != 2 || fx[0].State != StateRolledBack || fx[1].State != StateApplied {
		t.Errorf("%+v", fx)
	}
}

// TestCutOffBeforeItActs: an object that is revoked after the receipt does not act.
func TestCutOffBeforeItActs(t *testing.T) {
	s := &shop{name: "a"}
	cut := make(chan struct{})
	o := Wrap(s, Policy{Revoked: cut})
	g, _ := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded})
	w := &world{t: t, s: begin(t, g, t.Context(), "")}
	_, err := w.send(msg(ref(0), call(0, "mail")))
	wantOK(t, "mail", err)
	close(cut)
	w.s.Finish(t.Context(), value.Null(), nil)
	if fx := w.s.Effects(); times(s.log, "mail") != 0 || fx[0].State != StateFailed || !errors.Is(fx[0].Err, fail.ErrRevoked) {
		t.Errorf("%v %+v", s.log, fx)
	}
}

// TestEffectsNeedARecord: who keeps no record where something can be changed says so.
func TestEffectsNeedARecord(t *testing.T) {
	grants := map[string]Object{"shop": &shop{name: "a"}}
	for name, none := range map[string]Recorder{"nil": nil, "a function that was forgotten": RecordFunc(nil)} {
		if _, err := NewGate(Config{Grants: grants, Record: none}); err == nil || !strings.Contains(err.Error(), "Unrecorded") {
			t.Error(name, err)
		}
	}
	if _, err := NewGate(Config{Grants: grants, Record: Unrecorded}); err != nil {
		t.Error(err)
	}
	if _, err := NewGate(Config{Grants: map[string]Object{"shop": Wrap(&shop{name: "a"}, Policy{Narrow: func(d *message.Description) error {
		d.Interfaces[0].Methods = map[string]*message.Method{"count": d.Interfaces[0].Methods["count"]}
		return nil
	}})}}); err != nil {
		t.Error("nothing can be changed:", err)
	}
}

// TestRunID: an ID has one spelling, and no two are the same.
func TestRunID(t *testing.T) {
	a, b := NewRunID(), NewRunID()
	if got, err := ParseRunID(a.String()); err != nil || got != a || a == b {
		t.Error(got, err, a, b)
	}
	for _, bad := range []string{"", "x", strings.ToUpper("ab" + a.String()[2:]), a.String() + "0", a.String()[:31]} {
		if id, err := ParseRunID(bad); err == nil {
			t.Errorf("%q is %v", bad, id)
		}
	}
}

// TestUnitOfAnotherStore: what changes a unit of work asks for that of its object's UnitKey.
func TestUnitOfAnotherStore(t *testing.T) {
	for _, key := range []string{"a", "b"} {
		liar := &liar{shop: &shop{name: "a"}, key: key}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": liar}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		if _, err = w.send(msg(ref(0), call(0, "put"))); (err == nil) != (key == "a") {
			t.Errorf("unit %s of store a: %v", key, err)
		}
		w.s.Finish(t.Context(), value.Null(), nil)
	}
}

// liar asks for a unit of work under another key than its Store.
type liar struct {
	*shop
	key string
}

func (l *liar) Eval(_ context.Context, m *Message) (value.Value, error) {
	_, err := m.Unit(l.key, func(context.Context) (Unit, error) { return shopUnit{l.shop}, nil })
	return value.Int(1), err
}

// TestCancelledAnywhere: the caller goes away at each point of a run. What is told is what
// happened, and what was to be committed is committed whole or not at all.
func TestCancelledAnywhere(t *testing.T) {
	points := []string{"put", "prepare", "commit", "rollback", "mail"}
	for step := Begun; step < steps; step++ {
		points = append(points, "record "+step.String())
	}
	seen := map[string]int{}
	for _, at := range points {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &shop{name: "a", fail: map[string]func(context.Context) error{at: func(context.Context) error { cancel(); return nil }}}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: RecordFunc(func(e Entry) error { return s.did(ctx, "record "+e.Step.String()) })})
		if err != nil {
			t.Fatal(err)
		}
		ses, err := g.Begin(ctx, Run{}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &ending{world: &world{t: t, s: ses}}
		for _, m := range []string{"put", "mail"} {
			w.send(msg(ref(0), call(0, m)))
		}
		w.err = ses.Finish(ctx, value.Null(), nil)
		states := w.states()
		if applied := strings.Contains(states, "put applied"); applied != (s.kept == 1) || applied != (w.err == nil) || strings.Contains(states, "mail applied") != (times(s.log, "mail") == 1) {
			t.Errorf("%s: %v, %d kept, told %s\n%v", at, w.err, s.kept, states, s.log)
		}
		if n := times(s.log, "commit") + times(s.log, "rollback"); n > 1 || times(s.log, "put") > 0 && n == 0 {
			t.Errorf("%s: the unit ended %d times: %v", at, n, s.log)
		}
		if times(s.log, "commit") == 1 && (times(s.log, "mail") != 1 || times(s.log, "record ended") != 1) {
			t.Errorf("%s: it stopped half way: %v", at, s.log)
		}
		seen[states]++
	}
	if seen["put applied, mail applied"] < 5 || len(seen) < 3 {
		t.Errorf("%v", seen)
	}
}

// TestDoneIsRecordedAfterAPanic: a callback that panics ends the run, and what has happened
// for good is on record all the same.
func TestDoneIsRecordedAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, release := &shop{name: "a"}, make(chan struct{})
		s.fail = map[string]func(context.Context) error{"post": func(context.Context) error { <-release; return nil }}
		var steps []string
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Console: func(Line) { panic("console") }, Record: RecordFunc(func(e Entry) error {
			steps = append(steps, e.Step.String())
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		w.submit(msg(ref(0), call(0, "post")))
		w.s.Log(Line{Text: "x"})
		synctest.Wait()
		close(release)
		synctest.Wait()
		if err := w.s.Finish(t.Context(), value.Null(), nil); err == nil || w.s.Panicked() != "console" {
			t.Error(err, w.s.Panicked())
		}
		if got := strings.Join(steps, " "); got != "begun intent outcome ended" || w.s.Effects()[0].State != StateImmediate {
			t.Errorf("%s; %+v", got, w.s.Effects())
		}
	})
}
