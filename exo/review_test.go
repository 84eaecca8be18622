package exo

// This file has units that a Reviewer could not show a person.

import (
	"context"
	"testing"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// ruledShop is a shop with a rule on everything.
type ruledShop struct{ *shop }

func (ruledShop) MayAsk() bool                          { return true }
func (ruledShop) Asks(*Message) (string, changeset.Who) { return "always", changeset.Who{} }

// lenient lets every run commit.
type lenient struct{ heard int }

func (l *lenient) Review(context.Context, *Reviewed) error { l.heard++; return nil }

// listed is what a unit lists, for a person to read.
type listed struct{}

func (listed) Asks() []changeset.Ask                           { return nil }
func (listed) Changes(context.Context) (changeset.Part, error) { return changeset.Part{}, nil }

// TestUnlistedChanges: no Reviewer, however lenient, keeps changes with a rule of the host that a unit does not list, or lists in no form that can
// be shown. The twins list them, and have no rule.
func TestUnlistedChanges(t *testing.T) {
	for name, c := range map[string]struct {
		tells any
		rule  bool
		kept  bool
	}{"lists nothing": {nil, true, false}, "lists it in another form": {"a text", true, false}, "lists it": {listed{}, true, true}, "lists nothing, and has no rule": {nil, false, true}} {
		s := &shop{name: "till", tells: c.tells}
		var o Object = s
		if c.rule {
			o = ruledShop{s}
		}
		by := &lenient{}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded, Review: by})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, gate: g, s: begin(t, g, t.Context(), "ann")}
		w.send(msg(ref(0), call(0, "put")))
		err = w.s.Finish(t.Context(), value.Null(), nil)
		if (err == nil) != c.kept || (s.kept == 1) != c.kept || err != nil && fail.KindOf(err) != fail.Internal {
			t.Errorf("%s: %d kept, heard %d times: %v", name, s.kept, by.heard, err)
		}
	}
}

// TestImmediateWithARule: nothing acts at once for which a person has to agree first. The twin has no rule.
func TestImmediateWithARule(t *testing.T) {
	for _, rule := range []bool{true, false} {
		s := &shop{name: "till"}
		var o Object = s
		if rule {
			o = ruledShop{s}
		}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded, Review: &lenient{}})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, gate: g, s: begin(t, g, t.Context(), "ann")}
		_, err = w.send(msg(ref(0), call(0, "post")))
		if rule && fail.KindOf(err) != fail.Denied || !rule && err != nil || times(s.log, "post") != map[bool]int{false: 1}[rule] {
			t.Errorf("rule %v: %v, %v", rule, err, s.log)
		}
		w.s.Finish(t.Context(), value.Null(), nil)
	}
}
