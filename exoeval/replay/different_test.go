package replay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/replay"
	"github.com/exoagent/exoagent/internal/testutil"
)

// recorded returns the entries of a run of a program on the shop.
func recorded(t *testing.T, program string) []exo.Entry {
	t.Helper()
	to := newKept()
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{}}, Record: to, Bits: &bits{9}})
	if err != nil {
		t.Fatal(err)
	}
	testutil.InProcess(gate).Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Seed: 7}})
	return to.entries(t)
}

const three = `const a = await shop.echo("one")
const b = await shop.rows()
  const c = await shop.echo(a + b.length)
return [c, b[0].id]`

// change is a copy of entries in which f has changed the entry of a call and step; call 0: of the run.
func change(t *testing.T, es []exo.Entry, call uint64, step exo.Step, f func(e *exo.Entry)) []exo.Entry {
	t.Helper()
	es = slices.Clone(es)
	for i := range es {
		if es[i].Call == call && es[i].Step == step {
			if s := es[i].Start; s != nil {
				own := *s
				es[i].Start = &own
			}
			if k := es[i].Kept; k != nil {
				own := *k
				es[i].Kept = &own
			}
			f(&es[i])
			return es
		}
	}
	t.Fatalf("no %v of call %d", step, call)
	return nil
}

func encoded(t *testing.T, v value.Value) []byte {
	t.Helper()
	b, err := v.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDifferent: a record in which something was changed is found different, at the call that was changed and with its place.
func TestDifferent(t *testing.T) {
	es := recorded(t, three)
	if d, err := replay.Run(t.Context(), es, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true}); d != nil || err != nil {
		t.Fatal(d, err)
	}
	program := func(from, to string) []exo.Entry {
		return change(t, es, 0, exo.Begun, func(e *exo.Entry) {
			if e.Start.Program = strings.Replace(e.Start.Program, from, to, 1); e.Start.Program == three {
				t.Fatal("not changed")
			}
		})
	}
	outcome := func(call uint64, f func(*exo.Entry)) []exo.Entry { return change(t, es, call, exo.Outcome, f) }
	intent := func(call uint64, f func(*exo.Entry)) []exo.Entry { return change(t, es, call, exo.Intent, f) }
	for _, c := range []struct {
		es   []exo.Entry
		call uint64
		want string
	}{
		{outcome(1, func(e *exo.Entry) { e.Kept.Value = encoded(t, value.Text("One")) }), 1, "call 1 at 1:"},
		{outcome(2, func(e *exo.Entry) { e.Kept.Value = encoded(t, value.List()) }), 2, "call 2 at 2:"},
		{outcome(3, func(e *exo.Entry) { e.Kept.Value = encoded(t, value.Text("one2").WithLabel(value.NewLabel("pii"))) }), 3, "call 3 at 3:"},
		{outcome(2, func(e *exo.Entry) { e.Kept.Value = []byte("no value") }), 2, "does not match its SHA-256 in the record"},
		{outcome(1, func(e *exo.Entry) { e.Digest[0]++ }), 1, "does not match its SHA-256 in the record"},
		{outcome(2, func(e *exo.Entry) { e.Kept.Rows = 1 << 40 }), 3, "the program does not send it"},
		{intent(1, func(e *exo.Entry) { e.Message = []byte("x") }), 1, "with other code or other values"},
		{intent(3, func(e *exo.Entry) { e.Label = value.NewLabel("pii") }), 3, "the label is {pii} in the record, but {} now"},
		{intent(2, func(e *exo.Entry) { e.Op = "shop.read" }), 2, "the record has shop.read, but the program sends shop.rows"},
		{change(t, es, 2, exo.Intent, func(e *exo.Entry) { e.Step, e.Err = exo.Refused, &fail.Error{Kind: fail.Denied, Msg: "no"} }), 2, "but now with"},
		{program(`"one"`, `"two"`), 1, "with other code"},
		{program("a + b.length", "b.length"), 3, "call 3 at 3:"},
		{program("return", "await shop.echo(4); return"), 4, "the record has no such call"},
		{program("const c = await shop.echo(a + b.length)", "const c = a"), 3, "the program does not send it"},
		{program("[c, b[0].id]", "[c]"), 0, "the end of the program: the result is not the one in the record"},
		{program("[c, b[0].id]", "c.x.y"), 0, "in the record the program has a result, but now the program failed at 4:"},
		{change(t, es, 0, exo.Released, func(e *exo.Entry) { e.Digest[0]++ }), 0, "the result is not the one in the record"},
		{change(t, es, 0, exo.Released, func(e *exo.Entry) { e.Label = value.NewLabel("x") }), 0, "the label is {x}"},
		{change(t, es, 0, exo.Begun, func(e *exo.Entry) { e.Start.Label = value.NewLabel(value.Untrusted) }), 1, "but {untrusted} now"},
		{change(t, es, 0, exo.Begun, func(e *exo.Entry) { e.Start.Limits.Calls = 2 }), 3, "refused now"},
	} {
		d, err := replay.Run(t.Context(), c.es, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true})
		if err != nil || d == nil || d.Call != c.call || !strings.Contains(d.String(), c.want) {
			t.Errorf("%v, %v; want call %d and %q", d, err, c.call, c.want)
		}
	}
}

// TestNotReplayed: a run that the record does not have whole, or that another version recorded, is refused with the reason.
func TestNotReplayed(t *testing.T) {
	es := recorded(t, three)
	without := func(call uint64, step exo.Step) (out []exo.Entry) {
		for _, e := range es {
			if e.Call != call || e.Step != step {
				out = append(out, e)
			}
		}
		return out
	}
	begun := func(f func(*exo.Start)) []exo.Entry {
		return change(t, es, 0, exo.Begun, func(e *exo.Entry) { f(e.Start) })
	}
	ended := func(err error) []exo.Entry {
		return change(t, es, 0, exo.Ended, func(e *exo.Entry) { e.Err = err })
	}
	for _, c := range []struct {
		es   []exo.Entry
		want string
	}{
		{nil, "the beginning of the run"},
		{without(0, exo.Begun), "the beginning of the run"},
		{begun(func(s *exo.Start) { s.Grants = nil }), "without replies. Only"},
		{begun(func(s *exo.Start) { s.Grants, s.Module = nil, "" }), "without replies"},
		{begun(func(s *exo.Start) { s.Encoding = 2 }), "version 2 of the data format"},
		{begun(func(s *exo.Start) { s.Granted[0]++ }), "do not match their SHA-256"},
		{begun(func(s *exo.Start) { s.Grants = func() []byte { return []byte("x") } }), "the recorded grants can't be read"},
		{without(0, exo.Ended), "lack the end"},
		{without(2, exo.Outcome), "lack the outcome of call 2"},
		{change(t, es, 3, exo.Outcome, func(e *exo.Entry) { e.Kept.Lost = "it was large" }), "call 3 was not recorded: it was large"},
		{ended(fail.ErrCancelled), "was stopped from outside"},
		{ended(&fail.Error{Kind: fail.Crashed}), "was stopped from outside"},
	} {
		if d, err := replay.Run(t.Context(), c.es, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true}); err == nil || d != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v; want %q", d, err, c.want)
		}
	}
	for recorded, want := range map[string]string{"v9.9.9": "recorded by exoagent v9.9.9, and this is", "(devel)": "exoagent (devel)"} {
		other := begun(func(s *exo.Start) { s.Module = recorded })
		_, err := replay.Run(t.Context(), other, replay.Options{Evaluator: exoeval.InProcess{}})
		if _, is := errors.AsType[*replay.VersionError](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if d, err := replay.Run(t.Context(), other, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true}); d != nil || err != nil {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// TestLimitInTime: a run that a limit of time ended is compared up to there, and no further.
func TestLimitInTime(t *testing.T) {
	es := recorded(t, `for (let i = 0; i < 1000; i++) await shop.echo(i)`)
	d, err := replay.Run(t.Context(), es, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true})
	if d != nil || err != nil { // a limit of calls
		t.Error(d, err)
	}
	var some []exo.Entry // as if a limit of time had ended it earlier
	for _, e := range es {
		if e.Call < 10 {
			some = append(some, e)
		}
	}
	if d, err := replay.Run(t.Context(), some, replay.Options{Evaluator: exoeval.InProcess{}, AnyVersion: true}); d != nil || err == nil || !strings.Contains(err.Error(), "before call 10 are equal") {
		t.Error(d, err)
	}
}
