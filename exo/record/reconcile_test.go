package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/testutil"
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv("EXO_RECORD_CHILD") {
	case "":
		os.Exit(m.Run())
	case "open":
		err = opened(os.Getenv("EXO_RECORD_PATH"))
	case "fill":
		err = fill(os.Getenv("EXO_RECORD_PATH"))
	case "log":
		err = logs(os.Getenv("EXO_RECORD_PATH"))
	case "run":
		err = killed(os.Getenv("EXO_RECORD_PATH"), os.Getenv("EXO_RECORD_URL"), os.Getenv("EXO_RECORD_AT"))
	}
	fmt.Fprintln(os.Stderr, "the child was not killed:", err)
	os.Exit(1)
}

// killed runs two puts and a post against the ledger and is killed at a point: before,
// within or after the line of a step, or at a point of the ledger.
func killed(path, url, at string) error {
	e := testutil.SQLite
	if !strings.HasPrefix(url, "sqlite:") {
		e = testutil.Postgres
	}
	db, err := e.OpenSQL(url)
	if err != nil {
		return err
	}
	ledger, err := e.NewLedger(db)
	if err != nil {
		return err
	}
	ledger.At = func(_ context.Context, what string) error {
		if at == "ledger "+what {
			die()
		}
		return nil
	}
	ledger.Post = func(int64) error {
		if at == "before the post" {
			die()
		}
		if err := os.WriteFile(path+".posted", nil, 0o600); err != nil {
			return err
		}
		if at == "after the post" {
			die()
		}
		return nil
	}
	to, err := fatalRecord(path, at)
	if err != nil {
		return err
	}
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"ledger": ledger}, Record: to})
	if err != nil {
		return err
	}
	s, err := gate.Begin(context.Background(), exo.Run{Principal: "ann"}, "two puts and a post", nil)
	if err != nil {
		return err
	}
	for id, method := range []string{"put", "put", "post"} {
		x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpLit, Recv: -1, Lit: value.Int(int64(id))}, {Op: message.OpCall, Name: method, Recv: 0, Args: []int32{1}}}}
		if err := s.Submit(exo.Call{ID: uint64(id + 1), Expr: x}); err != nil {
			return err
		}
		if r, _, err := s.Next(context.Background()); err != nil || r.Err != nil {
			return errors.Join(err, r.Err)
		}
	}
	return s.Finish(context.Background(), value.Null(), nil)
}

// fatalRecord is a record in a file, or in a folder if one is there with its key.
func fatalRecord(path, at string) (exo.Recorder, error) {
	key, err := os.ReadFile(path + ".key")
	if err != nil {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		return New(&fatal{f, at}), err
	}
	l, err := OpenFolder(path, tree.SigningKey(key))
	if err != nil {
		return nil, err
	}
	return exo.RecordFunc(func(e exo.Entry) error {
		if at == "before "+e.Step.String() {
			die()
		}
		err := l.Record(context.Background(), e)
		if at == "after "+e.Step.String() {
			die()
		}
		return err
	}), nil
}

// fatal writes lines and ends the process before, within or after one of them.
type fatal struct {
	w  io.Writer
	at string
}

func (f *fatal) Write(b []byte) (int, error) {
	step := func(when string) bool {
		return strings.HasPrefix(f.at, when+" ") && bytes.Contains(b, []byte(`"step":"`+strings.TrimPrefix(f.at, when+" ")+`"`))
	}
	if step("before") {
		die()
	}
	if step("within") {
		f.w.Write(b[:len(b)/2])
		die()
	}
	n, err := f.w.Write(b)
	if step("after") {
		die()
	}
	return n, err
}

// die is kill -9.
func die() {
	p, _ := os.FindProcess(os.Getpid())
	p.Kill()
	select {}
}

// Wherever a process is killed, the record says in the end what the database says: a run
// is applied where its rows are kept, and rolled back where they are not; a held effect
// that acted is never told as one that did not. What is kept is kept once, whole.
func TestKilledRuns(t *testing.T) {
	points := []string{"ledger begin", "ledger put", "ledger prepare", "ledger witness", "ledger commit", "ledger committed", "before the post", "after the post"}
	for _, step := range []exo.Step{exo.Begun, exo.Intent, exo.Outcome, exo.Released, exo.Committing, exo.Committed, exo.Acting, exo.Acted, exo.Ended} {
		for _, when := range []string{"before", "within", "after"} {
			points = append(points, when+" "+step.String())
		}
	}
	for _, folder := range []bool{false, true} {
		t.Run(map[bool]string{false: "file", true: "folder"}[folder], func(t *testing.T) { killedRuns(t, points, folder) })
	}
}

func killedRuns(t *testing.T, points []string, folder bool) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		url := e.URL(t)
		ledger := e.OpenLedger(t, url)
		seen := map[exo.State]int{}
		for _, at := range points {
			before := ledger.Rows(t)
			path := filepath.Join(t.TempDir(), "record")
			var log *madeLog
			if folder {
				if strings.HasPrefix(at, "within ") {
					continue // package tree cuts a line at each byte
				}
				log = makeLog(t, path)
			}
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "EXO_RECORD_CHILD=run", "EXO_RECORD_PATH="+path, "EXO_RECORD_URL="+url, "EXO_RECORD_AT="+at)
			if out, err := c.CombinedOutput(); err == nil || c.ProcessState.ExitCode() != -1 {
				t.Fatalf("%s: it was not killed: %v %s", at, err, out)
			}
			_, posted := os.Stat(path + ".posted")
			f, read := log.again(t, path)
			runs, err := f.Unsettled()
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(runs, f.UnsettledAtOpen()) {
				t.Errorf("%s: %v and at the opening %v", at, runs, f.UnsettledAtOpen())
			}
			if err := Reconcile(t.Context(), f, runs, ledger); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			checkUnknown(t, at, path, f, log, posted == nil)
			kept := ledger.Rows(t) - before // once asked, no transaction of the run is on its way
			checkSettled(t, at, f, read, kept, posted == nil, seen)
			f.Close()
			log.intact(t, at)
		}
		unknown := map[bool]int{false: 5, true: 4}[folder] // the one between is within a line
		if seen[exo.StateApplied] < 5 || seen[exo.StateRolledBack] < 2 || seen[exo.StateUnknown] != unknown {
			t.Errorf("%v", seen)
		}
	})
}

// checkUnknown asks about the post that Reconcile left unknown, in a copy of the record. The ledger's file says whether it was made.
func checkUnknown(t *testing.T, at, path string, f keeper, log *madeLog, posted bool) {
	t.Helper()
	var runs []UnsettledRun
	var err error
	switch f := f.(type) {
	case *File:
		text, _ := os.ReadFile(path)
		runs, err = Unknown(bytes.NewReader(text))
	case *Folder:
		runs, err = f.Unknown(log.opener(t))
	}
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	answer := map[bool]exo.State{true: exo.StateApplied, false: exo.StateFailed}[posted]
	var got []exo.State
	to := exo.RecordFunc(func(e exo.Entry) error {
		if e.Step == exo.Acted {
			got = append(got, e.State)
		}
		return nil
	})
	s := &settler{state: answer}
	if err := (Settlers{Objects: map[string]Settler{"ledger": s}}).Reconcile(t.Context(), to, runs); err != nil || len(got) != len(runs) || len(s.asked) != len(runs) || len(got) > 0 && got[0] != answer {
		t.Errorf("%s: of %d unknown posts %v were settled, %v", at, len(runs), got, err)
	}
}

func checkSettled(t *testing.T, at string, f keeper, read func() []exo.Entry, kept int, posted bool, seen map[exo.State]int) {
	t.Helper()
	if again, err := f.Unsettled(); err != nil || len(again) != 0 {
		t.Errorf("%s: %d runs are still open, %v", at, len(again), err)
	}
	text := read()
	committed, acted, ended := exo.NoState, exo.NoState, 0
	for _, en := range text {
		switch en.Step {
		case exo.Committed:
			if committed != exo.NoState {
				t.Errorf("%s: committed twice", at)
			}
			committed = en.State
		case exo.Acted:
			if acted != exo.NoState {
				t.Errorf("%s: acted twice", at)
			}
			acted = en.State
		case exo.Ended:
			ended++
		}
	}
	if len(text) > 0 && ended != 1 {
		t.Errorf("%s: ended %d times", at, ended)
	}
	if kept != 0 && kept != 2 || (kept == 2) != (committed == exo.StateApplied) {
		t.Errorf("%s: %d rows are kept and the run is told as %v\n%v", at, kept, committed, text)
	}
	if posted && acted != exo.StateApplied && acted != exo.StateUnknown || !posted && acted == exo.StateApplied {
		t.Errorf("%s: posted %v, and told as %v\n%v", at, posted, acted, text)
	}
	seen[committed]++
	if acted == exo.StateUnknown {
		seen[acted]++
	}
}

// answers is a store that answers so.
type answers struct {
	kept bool
	err  error
	asks int
}

// forgets is a store that has forgotten runs.
type forgets struct {
	*answers
	until time.Time
}

func (f forgets) Forgotten(context.Context) (time.Time, error) { return f.until, nil }

func (a *answers) Committed(context.Context, exo.RunID) (bool, error) { a.asks++; return a.kept, a.err }

// What is missing is appended as it is known, and as unknown where it is not.
func TestReconcile(t *testing.T) {
	id := exo.NewRunID()
	made := func(steps ...exo.Entry) []exo.Entry {
		for i := range steps {
			steps[i].RunID, steps[i].At = id, time.Now()
		}
		return append([]exo.Entry{entry(id, exo.Begun)}, steps...)
	}
	committing := func(changed, witnessed int) exo.Entry {
		return exo.Entry{Step: exo.Committing, Prepared: &exo.Prepared{Changed: changed, Witnessed: witnessed}}
	}
	put := exo.Entry{Step: exo.Outcome, Call: 1, Op: "put", Effect: message.InUnit, State: exo.StateHeld}
	mail := exo.Entry{Step: exo.Outcome, Call: 2, Op: "mail", Effect: message.Held, State: exo.StateHeld}
	acting := exo.Entry{Step: exo.Acting, Call: 2, Op: "mail", Effect: message.Held}
	acted := exo.Entry{Step: exo.Acted, Call: 2, Op: "mail", Effect: message.Held, State: exo.StateApplied}
	ended := exo.Entry{Step: exo.Ended}
	intent := func(m message.EffectMode) exo.Entry { return exo.Entry{Step: exo.Intent, Call: 3, Op: "x", Effect: m} }
	committed := func(s exo.State) exo.Entry { return exo.Entry{Step: exo.Committed, State: s} }
	yes, no := func() Store { return &answers{kept: true} }, func() Store { return &answers{} }
	lost := exo.Entry{Step: exo.Committed, State: exo.StateUnknown, Err: errDisk}
	forgetful := func(hours time.Duration) Store { return forgets{&answers{}, time.Now().Add(hours * time.Hour)} }
	never := func() Store { return &answers{err: fmt.Errorf("gone: %w", ErrUnknown)} }
	for name, c := range map[string]struct {
		entries []exo.Entry
		stores  []Store
		want    string
	}{
		"begun":                              {made(), nil, "ended"},
		"refused":                            {made(exo.Entry{Step: exo.Refused, Call: 1, Effect: message.Immediate}), nil, "ended"},
		"over":                               {made(put, exo.Entry{Step: exo.Ended}), nil, ""},
		"not to be committed":                {made(put, mail), []Store{yes()}, "acted(rolled back) ended"},
		"kept":                               {made(put, mail, committing(1, 1)), []Store{yes()}, "committed(applied) acted(failed) ended"},
		"not kept":                           {made(put, mail, committing(1, 1)), []Store{no()}, "committed(rolled back) acted(rolled back) ended"},
		"kept by one of two":                 {made(put, committing(1, 1)), []Store{no(), yes()}, "committed(applied) ended"},
		"both changed, kept by one":          {made(put, committing(2, 2)), []Store{no(), yes()}, "committed(unknown) ended"},
		"both changed, kept by both":         {made(put, committing(2, 2)), []Store{yes(), yes()}, "committed(applied) ended"},
		"no store":                           {made(put, mail, committing(1, 1)), nil, "committed(unknown) acted(failed) ended"},
		"a store that left no mark":          {made(put, committing(1, 0)), []Store{no()}, "committed(unknown) ended"},
		"one of two left no mark":            {made(put, committing(2, 1)), []Store{yes(), no()}, "committed(unknown) ended"},
		"a record that does not say":         {made(put, exo.Entry{Step: exo.Committing}), []Store{no()}, "committed(unknown) ended"},
		"a detail that looks like an answer": {made(put, exo.Entry{Step: exo.Committing, Details: []any{exo.Prepared{}, map[string]int{}, map[string]int{"changed": 1, "witnessed": 1}}}), []Store{no()}, "committed(unknown) ended"},
		"a store that can't tell":            {made(put, committing(1, 1)), []Store{never()}, "committed(unknown) ended"},
		"nothing but a mail":                 {made(mail, committing(0, 0)), nil, "committed(rolled back) acted(rolled back) ended"},
		"committed":                          {made(put, mail, committing(1, 1), committed(exo.StateApplied)), []Store{no()}, "acted(failed) ended"},
		"rolled back":                        {made(put, mail, committing(1, 1), committed(exo.StateRolledBack)), []Store{yes()}, "acted(rolled back) ended"},
		"about to act":                       {made(mail, committing(0, 0), committed(exo.StateApplied), acting), nil, "acted(unknown) ended"},
		"committing, ended":                  {made(put, mail, committing(1, 1), ended), []Store{yes()}, "committed(applied) acted(failed) ended"},
		"committing, ended, committed":       {made(put, committing(1, 1), ended, committed(exo.StateApplied)), nil, ""},
		"lost, ended, kept":                  {made(put, mail, committing(1, 1), lost, ended), []Store{yes()}, "committed(applied) acted(failed) ended"},
		"lost, ended, not kept":              {made(put, mail, committing(1, 1), lost, ended), []Store{no()}, "committed(rolled back) acted(rolled back) ended"},
		"lost, ended, no mark":               {made(put, committing(1, 0), lost, ended), []Store{no()}, ""},
		"lost, ended, a store that can't":    {made(put, committing(1, 1), lost, ended), []Store{never()}, "committed(unknown) ended"},
		"lost, kept":                         {made(put, committing(1, 1), lost), []Store{yes()}, "committed(applied) ended"},
		"asked, ended":                       {made(put, committing(1, 1), ended, exo.Entry{Step: exo.Committed, State: exo.StateUnknown, Err: ErrAsked}, ended), []Store{yes()}, ""},
		"interrupted":                        {made(put, committing(1, 1), exo.Entry{Step: exo.Committed, State: exo.StateUnknown, Err: ErrInterrupted}), []Store{yes()}, "ended"},
		"forgotten":                          {made(put, committing(1, 1)), []Store{forgetful(1)}, "committed(unknown) ended"},
		"forgotten, before it":               {made(put, committing(1, 1)), []Store{forgetful(-1)}, "committed(rolled back) ended"},
		"forgotten, kept elsewhere":          {made(put, committing(1, 1)), []Store{forgetful(1), yes()}, "committed(applied) ended"},
		"about to act, ended":                {made(mail, committing(0, 0), committed(exo.StateApplied), acting, ended), nil, "acted(unknown) ended"},
		"about to act, ended, acted":         {made(mail, committing(0, 0), committed(exo.StateApplied), acting, ended, acted), nil, ""},
		"acted":                              {made(mail, committing(0, 0), committed(exo.StateApplied), acting, acted), nil, "ended"},
		"an effect at once, without an end":  {made(intent(message.Immediate)), nil, "outcome(unknown) ended"},
		"a put, without an end":              {made(intent(message.InUnit)), nil, "ended"},
		"a read, without an end":             {made(intent(message.NoEffect)), nil, "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			l := New(&b)
			for _, e := range c.entries {
				if err := l.Record(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			runs, err := Unsettled(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			was := b.Len()
			if (name == "committed" || name == "rolled back") && (len(runs[0].Effects) != 1 || runs[0].Effects[0].Mode != message.Held) {
				t.Errorf("left open: %+v", runs[0].Effects) // the put is what the commit was
			}
			if err := Reconcile(t.Context(), l, runs, c.stores...); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range all(t, bytes.NewReader(b.Bytes()[was:])) {
				s := e.Step.String()
				if e.State != exo.NoState {
					s += "(" + e.State.String() + ")"
				}
				if want := map[bool]error{false: ErrInterrupted, true: ErrAsked}[strings.Contains(name, ", ended")]; e.RunID != id || e.Err == nil || e.Err.Error() != want.Error() {
					t.Errorf("%s: run %v, %v", s, e.RunID, e.Err)
				}
				got = append(got, s)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
			if left, err := Unsettled(bytes.NewReader(b.Bytes())); err != nil || len(left) != 0 {
				t.Errorf("%+v, %v", left, err)
			}
		})
	}
}

// What is appended for a run has the label of all that the run had read. The outcome of one
// message has that of its reply: of a run that read {pii} and posted at last it says nothing.
func TestReconcileKeepsTheLabel(t *testing.T) {
	id, pii, hr := exo.NewRunID(), value.NewLabel("pii"), value.NewLabel("hr")
	for name, c := range map[string]struct {
		entries []exo.Entry
		want    value.Label
	}{
		"public":     {[]exo.Entry{{Step: exo.Intent, Call: 1}}, value.Label{}},
		"begun":      {[]exo.Entry{{Step: exo.Outcome, Call: 1, Label: pii}}, value.Label{}},
		"intent":     {[]exo.Entry{{Step: exo.Intent, Call: 1, Label: pii}, {Step: exo.Outcome, Call: 1}}, pii},
		"refused":    {[]exo.Entry{{Step: exo.Refused, Call: 1, Label: pii}, {Step: exo.Withheld, Call: 1}}, pii},
		"released":   {[]exo.Entry{{Step: exo.Released, Label: pii}}, pii},
		"committing": {[]exo.Entry{{Step: exo.Committing, Label: pii}, {Step: exo.Outcome, Call: 1, Label: hr}}, pii},
		"both":       {[]exo.Entry{{Step: exo.Intent, Call: 1, Label: pii}, {Step: exo.Intent, Call: 2, Label: hr}, {Step: exo.Outcome, Call: 2}}, pii.Join(hr)},
	} {
		var b bytes.Buffer
		l := New(&b)
		for _, e := range append([]exo.Entry{{Step: exo.Begun}}, c.entries...) {
			e.RunID, e.At = id, time.Now()
			if err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		runs, err := Unsettled(bytes.NewReader(b.Bytes()))
		if err != nil || len(runs) != 1 || runs[0].Label.String() != c.want.String() {
			t.Fatalf("%s: %v, %v; want %v", name, runs, err, c.want)
		}
		was := b.Len()
		if err := Reconcile(t.Context(), l, runs); err != nil {
			t.Fatal(err)
		}
		for _, e := range all(t, bytes.NewReader(b.Bytes()[was:])) {
			if e.Label.String() != c.want.String() {
				t.Errorf("%s: %v has the label %v, not %v", name, e.Step, e.Label, c.want)
			}
		}
	}
}

// A store that gives no answer settles nothing: it can be asked again, and the others were.
func TestReconcileWithoutAnAnswer(t *testing.T) {
	var b bytes.Buffer
	l := New(&b)
	var ids []exo.RunID
	for range 2 {
		id := exo.NewRunID()
		ids = append(ids, id)
		for _, e := range []exo.Entry{entry(id, exo.Begun), {RunID: id, Step: exo.Committing, Prepared: &exo.Prepared{Changed: 1, Witnessed: 1}}} {
			if err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &answers{kept: true, err: errDisk}
	for round := range 2 {
		runs, _ := Unsettled(bytes.NewReader(b.Bytes()))
		was := b.Len()
		err := Reconcile(t.Context(), l, runs, s)
		if round == 0 {
			if len(runs) != 2 || !errors.Is(err, errDisk) || b.Len() != was || s.asks != 2 || !strings.Contains(err.Error(), ids[1].String()) {
				t.Errorf("%d runs, %v, asked %d times", len(runs), err, s.asks)
			}
			s.err = nil
			continue
		}
		if err != nil || s.asks != 4 {
			t.Errorf("%v, asked %d times", err, s.asks)
		}
	}
	runs, _ := Unsettled(bytes.NewReader(b.Bytes()))
	if len(runs) != 0 || !slices.Contains(ids, all(t, &b)[4].RunID) {
		t.Errorf("%+v", runs)
	}
	w := &writer{fail: func([]byte) (int, error) { return 0, errDisk }}
	if err := Reconcile(t.Context(), New(w), []UnsettledRun{{ID: ids[0]}}); !errors.Is(err, errDisk) {
		t.Errorf("a record that can't be appended to: %v", err)
	}
}

// A run leaves its ID in a store that it changed, in the transaction of the change, and says
// so in the record before it commits; in one that it only read it leaves nothing.
func TestWitness(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		for method, want := range map[string]exo.Prepared{"put": {Changed: 1, Witnessed: 1}, "post": {}} {
			ledger := e.OpenLedger(t, e.URL(t))
			var points []string
			ledger.At = func(_ context.Context, what string) error { points = append(points, what); return nil }
			var prepared []*exo.Prepared
			gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"ledger": ledger}, Record: exo.RecordFunc(func(e exo.Entry) error {
				if e.Step == exo.Committing {
					prepared = append(prepared, e.Prepared)
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			s, err := gate.Begin(t.Context(), exo.Run{}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			ref := message.WireNode{Op: message.OpRef, Recv: -1}
			for id, x := range [][]message.WireNode{{ref, {Op: message.OpCall, Name: "count", Recv: 0}}, {ref, {Op: message.OpLit, Recv: -1, Lit: value.Int(1)}, {Op: message.OpCall, Name: method, Recv: 0, Args: []int32{1}}}} {
				if err := s.Submit(exo.Call{ID: uint64(id + 1), Expr: message.Expr{Nodes: x}}); err != nil {
					t.Fatal(err)
				}
				if r, _, err := s.Next(t.Context()); err != nil || r.Err != nil {
					t.Fatal(err, r.Err)
				}
			}
			if err := s.Finish(t.Context(), value.Null(), nil); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(points, "witness") != (want.Witnessed == 1) || len(prepared) != 1 || prepared[0] == nil || *prepared[0] != want {
				t.Errorf("%s: %v, %+v", method, points, prepared)
			}
			if kept, err := ledger.Committed(t.Context(), s.Run().ID); err != nil || kept != (want.Witnessed == 1) {
				t.Errorf("%s: kept %v, %v", method, kept, err)
			}
		}
	})
}
