package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// settler answers about each key, and keeps what it was asked.
type settler struct {
	state exo.State
	err   error
	asked []string
}

func (s *settler) Settle(_ context.Context, method, key string) (exo.State, error) {
	s.asked = append(s.asked, method+" "+key)
	return s.state, s.err
}

func about(id exo.RunID, effect message.EffectMode, step exo.Step, op string, state exo.State) exo.Entry {
	return exo.Entry{RunID: id, Step: step, At: time.Now(), Call: 2, Op: op, Effect: effect, State: state}
}

// left is the entries of a run that was about to act, or to learn what an immediate call did.
func left(id exo.RunID, effect message.EffectMode, op string) []exo.Entry {
	es := []exo.Entry{entry(id, exo.Begun), about(id, effect, exo.Intent, op, exo.NoState)}
	if effect == message.Held {
		es = append(es, about(id, effect, exo.Outcome, op, exo.StateHeld), about(id, effect, exo.Acting, op, exo.NoState))
	}
	return es
}

func appendAll(t *testing.T, to exo.Recorder, es []exo.Entry) {
	t.Helper()
	for _, e := range es {
		if err := to.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSettlers: the object of an effect is asked by the key of the call, and its answer is what the record has. No other answer than
// one of the three counts, and no other object is asked.
func TestSettlers(t *testing.T) {
	for name, c := range map[string]struct {
		effect message.EffectMode
		op     string
		state  exo.State
		err    error
		want   exo.State
		told   string
	}{
		"it took place":                {message.Held, "mail.send", exo.StateApplied, nil, exo.StateApplied, ""},
		"it did not":                   {message.Held, "mail.send", exo.StateFailed, nil, exo.StateFailed, ""},
		"it does not know":             {message.Held, "mail.send", exo.StateUnknown, nil, exo.StateUnknown, ""},
		"it took place at once":        {message.Immediate, "mail.send", exo.StateApplied, nil, exo.StateImmediate, ""},
		"it did not take place there":  {message.Immediate, "mail.send", exo.StateFailed, nil, exo.StateRolledBack, ""},
		"no answer":                    {message.Held, "mail.send", exo.NoState, nil, exo.StateUnknown, "want StateApplied, StateFailed or StateUnknown"},
		"an answer of a live process":  {message.Held, "mail.send", exo.StateHeld, nil, exo.StateUnknown, "want StateApplied, StateFailed or StateUnknown"},
		"an answer of no kind":         {message.Held, "mail.send", 77, nil, exo.StateUnknown, "want StateApplied, StateFailed or StateUnknown"},
		"it fails, and answers":        {message.Held, "mail.send", exo.StateApplied, errDisk, exo.StateUnknown, errDisk.Error()},
		"another object":               {message.Held, "mails.send", exo.StateApplied, nil, exo.StateUnknown, ""},
		"the object alone":             {message.Held, "mail", exo.StateApplied, nil, exo.StateUnknown, ""},
		"an encrypted operation":       {message.Held, "", exo.StateApplied, nil, exo.StateUnknown, ""},
		"an object that a method gave": {message.Held, "box(…).mail.send", exo.StateApplied, nil, exo.StateUnknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			id := exo.NewRunID()
			var b bytes.Buffer
			l := New(&b)
			appendAll(t, l, left(id, c.effect, c.op))
			runs, err := Unsettled(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			s := &settler{state: c.state, err: c.err}
			err = Settlers{Objects: map[string]Settler{"mail": s}}.Reconcile(t.Context(), l, runs)
			if (err != nil) != (c.told != "") || err != nil && !strings.Contains(err.Error(), c.told) {
				t.Errorf("told %v, want %q", err, c.told)
			}
			if wants := strings.HasPrefix(c.op, "mail."); wants != slices.Equal(s.asked, []string{"send " + id.String() + "-2"}) || !wants && len(s.asked) > 0 {
				t.Errorf("asked %q", s.asked)
			}
			if err := checkSettledAs(t, b.Bytes(), id, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkSettledAs checks what the record has of a run's call 2, and that its run has ended.
func checkSettledAs(t *testing.T, text []byte, id exo.RunID, want exo.State) error {
	t.Helper()
	var state exo.State
	var last exo.Entry
	for _, e := range all(t, bytes.NewReader(text)) {
		if e.RunID != id {
			continue
		}
		if last = e; e.Call == 2 {
			state = e.State
		}
	}
	if state != want || last.Step != exo.Ended {
		return fmt.Errorf("run %v is recorded as %v and its last step is %v, want %v", id, state, last.Step, want)
	}
	if open, err := Unsettled(bytes.NewReader(text)); err != nil || len(open) > 0 {
		return fmt.Errorf("it is still open: %v, %v", open, err)
	}
	return nil
}

// TestSettlerOfOneRun: an object that claims all keys settles the calls of its own name alone, and never one that is known. So a call of another
// object that did not take place is not recorded as one that did.
func TestSettlerOfOneRun(t *testing.T) {
	mailed, paid, done := exo.NewRunID(), exo.NewRunID(), exo.NewRunID()
	var b bytes.Buffer
	l := New(&b)
	appendAll(t, l, left(mailed, message.Held, "mail.send"))
	appendAll(t, l, left(paid, message.Held, "pay.charge"))
	appendAll(t, l, append(left(done, message.Held, "mail.send"), about(done, message.Held, exo.Acted, "mail.send", exo.StateFailed)))
	runs, err := Unsettled(bytes.NewReader(b.Bytes()))
	if err != nil || len(runs) != 3 {
		t.Fatal(runs, err)
	}
	liar := &settler{state: exo.StateApplied}
	if err := (Settlers{Objects: map[string]Settler{"mail": liar}}).Reconcile(t.Context(), l, runs); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[exo.RunID]exo.State{mailed: exo.StateApplied, paid: exo.StateUnknown, done: exo.StateFailed} {
		if err := checkSettledAs(t, b.Bytes(), id, want); err != nil {
			t.Error(err)
		}
	}
	if len(liar.asked) != 1 {
		t.Errorf("asked %q", liar.asked)
	}
}

// TestUnknown: what the record says is unknown is asked again until it is known, and nothing is added before. A run that has not ended, or whose
// commit is open, is no such run.
func TestUnknown(t *testing.T) {
	id, live := exo.NewRunID(), exo.NewRunID()
	path := filepath.Join(t.TempDir(), "record")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lost := about(id, message.Held, exo.Acted, "mail.send", exo.StateUnknown)
	lost.Err = errors.New("the connection is lost")
	appendAll(t, f, append(left(id, message.Held, "mail.send"), lost, exo.Entry{RunID: id, Step: exo.Ended, At: time.Now()}))
	appendAll(t, f, append(left(live, message.Held, "mail.send"), about(live, message.Held, exo.Acted, "mail.send", exo.StateUnknown)))
	s := &settler{state: exo.StateUnknown}
	size := func() int { text, _ := os.ReadFile(path); return len(text) }
	was := size()
	for _, state := range []exo.State{exo.StateUnknown, exo.NoState, exo.StateApplied} {
		text, _ := os.ReadFile(path)
		runs, err := Unknown(bytes.NewReader(text))
		if err != nil || len(runs) != 1 || runs[0].ID != id || len(runs[0].Effects) != 1 {
			t.Fatal(runs, err)
		}
		if s.state = state; size() != was {
			t.Error("an answer of nothing is recorded")
		}
		if err := (Settlers{Objects: map[string]Settler{"mail": s}}).Reconcile(t.Context(), f, runs); (err != nil) != (state == exo.NoState) {
			t.Error(err)
		}
	}
	text, _ := os.ReadFile(path)
	if runs, err := Unknown(bytes.NewReader(text)); err != nil || len(runs) != 0 || len(s.asked) != 3 {
		t.Error(runs, err, s.asked)
	}
	if !strings.Contains(string(text[was:]), `"state":"applied"`) || strings.Count(string(text[was:]), "\n") != 2 {
		t.Errorf("%s", text[was:])
	}
	var nowhere Folder
	if _, err := nowhere.Unknown(nil); err == nil {
		t.Error("the zero Folder lists runs")
	}
}

// TestUnknownInAFolder: in a folder the operation is encrypted. So an effect of it is known only with the identity, and never again once its run
// was erased.
func TestUnknownInAFolder(t *testing.T) {
	log := makeLog(t, filepath.Join(t.TempDir(), "log"))
	l := log.open(t)
	kept, gone := exo.NewRunID(), exo.NewRunID()
	appendAll(t, l, left(kept, message.Held, "mail.send"))
	appendAll(t, l, left(gone, message.Held, "mail.send"))
	s := &settler{state: exo.StateApplied}
	ask := Settlers{Objects: map[string]Settler{"mail": s}}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = log.open(t) // as after a kill
	if err := ask.Reconcile(t.Context(), l, l.UnsettledAtOpen()); err != nil || len(s.asked) > 0 {
		t.Fatal(err, s.asked)
	}
	if _, _, err := l.in.Erase(time.Time{}, [16]byte(gone)); err != nil {
		t.Fatal(err)
	}
	runs, err := l.Unknown(nil)
	if err != nil || len(runs) != 2 {
		t.Fatal(runs, err)
	}
	if err := ask.Reconcile(t.Context(), l, runs); err != nil || len(s.asked) > 0 {
		t.Fatal(err, s.asked)
	}
	if runs, err = l.Unknown(log.opener(t)); err != nil || len(runs) != 2 {
		t.Fatal(runs, err)
	}
	if err := ask.Reconcile(t.Context(), l, runs); err != nil || !slices.Equal(s.asked, []string{"send " + kept.String() + "-2"}) {
		t.Fatal(err, s.asked)
	}
	if runs, err = l.Unknown(log.opener(t)); err != nil || len(runs) != 1 || runs[0].ID != gone {
		t.Error(runs, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	log.intact(t, "after it was settled")
}

// stager is a settler that keeps calls before the commit.
type stager struct{ settler }

func (*stager) Resumes(_ string, committed exo.State) bool {
	return committed == exo.StateApplied || committed == exo.StateUnknown
}

// TestSettlersThatStage: an object that kept a call before the commit says what became of it, although the process was killed before the call acted,
// and only if the run may have committed. Of another object such a call never acted.
func TestSettlersThatStage(t *testing.T) {
	for name, c := range map[string]struct {
		to     Settler
		kept   bool
		commit bool // the run was about to commit
		want   exo.State
		asked  bool
	}{
		"it was kept":                  {&stager{settler{state: exo.StateApplied}}, true, true, exo.StateApplied, true},
		"it was not kept":              {&stager{settler{state: exo.StateApplied}}, false, true, exo.StateRolledBack, false},
		"it was not to commit":         {&stager{settler{state: exo.StateApplied}}, true, false, exo.StateRolledBack, false},
		"another object, it was kept":  {&settler{state: exo.StateApplied}, true, true, exo.StateFailed, false},
		"the object does not know yet": {&stager{settler{state: exo.StateUnknown}}, true, true, exo.StateUnknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			id := exo.NewRunID()
			var b bytes.Buffer
			l := New(&b)
			es := []exo.Entry{entry(id, exo.Begun), about(id, message.Held, exo.Intent, "mail.send", exo.NoState), about(id, message.Held, exo.Outcome, "mail.send", exo.StateHeld)}
			if c.commit {
				es = append(es, exo.Entry{RunID: id, Step: exo.Committing, At: time.Now(), Prepared: &exo.Prepared{Changed: 1, Witnessed: 1}})
			}
			appendAll(t, l, es)
			runs, err := Unsettled(bytes.NewReader(b.Bytes()))
			if err == nil {
				err = Settlers{Stores: []Store{&answers{kept: c.kept}}, Objects: map[string]Settler{"mail": c.to}}.Reconcile(t.Context(), l, runs)
			}
			if err == nil {
				err = checkSettledAs(t, b.Bytes(), id, c.want)
			}
			s, is := c.to.(*stager)
			if err != nil || is && (len(s.asked) > 0) != c.asked {
				t.Error(err, c.to)
			}
		})
	}
}

// resumer is a settler that carries out calls of one method.
type resumer struct{ settler }

func (r *resumer) Resumes(method string, committed exo.State) bool {
	return method == "send" && committed == exo.StateApplied
}

// TestResumer: an object that has kept its calls since before the commit carries them out after a kill, if the run committed, and the record has
// that they began. It is asked about no run that did not commit, and no other object is asked at all.
func TestResumer(t *testing.T) {
	for name, c := range map[string]struct {
		op        string
		committed exo.State // NoState: the process ended before
		want      exo.State
		acting    bool
	}{
		"committed":                   {"mail.send", exo.StateApplied, exo.StateApplied, true},
		"rolled back":                 {"mail.send", exo.StateRolledBack, exo.StateRolledBack, false},
		"unknown":                     {"mail.send", exo.StateUnknown, exo.StateFailed, false},
		"not committed":               {"mail.send", exo.NoState, exo.StateRolledBack, false},
		"another method":              {"mail.draft", exo.StateApplied, exo.StateFailed, false},
		"an object that only answers": {"pay.send", exo.StateApplied, exo.StateFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			id := exo.NewRunID()
			var b bytes.Buffer
			l := New(&b)
			es := left(id, message.Held, c.op)
			es = append(es[:len(es)-1], exo.Entry{RunID: id, Step: exo.Committing, At: time.Now(), Prepared: &exo.Prepared{}})
			if c.committed != exo.NoState {
				es = append(es, exo.Entry{RunID: id, Step: exo.Committed, At: time.Now(), State: c.committed})
			}
			appendAll(t, l, es)
			runs, err := Unsettled(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			mail, pay := &resumer{settler{state: exo.StateApplied}}, &settler{state: exo.StateApplied}
			if err := (Settlers{Objects: map[string]Settler{"mail": mail, "pay": pay}}).Reconcile(t.Context(), l, runs); err != nil {
				t.Fatal(err)
			}
			if err := checkSettledAs(t, b.Bytes(), id, c.want); err != nil {
				t.Error(err)
			}
			acting := slices.ContainsFunc(all(t, bytes.NewReader(b.Bytes())), func(e exo.Entry) bool { return e.Step == exo.Acting && e.Call == 2 })
			if acting != c.acting || (len(mail.asked) == 1) != c.acting || len(pay.asked) > 0 {
				t.Errorf("acting %v, asked %q and %q", acting, mail.asked, pay.asked)
			}
		})
	}
}
