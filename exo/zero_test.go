package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// TestZeroValues: a Gate that was not made and a Session that was not begun refuse everything,
// and a Message that was not admitted belongs to no run.
func TestZeroValues(t *testing.T) {
	ctx := t.Context()
	for name, g := range map[string]*Gate{"nil": nil, "zero": {}} {
		if s, err := g.Begin(ctx, Run{}, "", nil); fail.KindOf(err) != fail.Denied || s != nil {
			t.Errorf("%s gate: Begin: %v", name, err)
		}
		if c := g.Catalog(); c != nil {
			t.Errorf("%s gate: Catalog: %v", name, c)
		}
		if g.ReadOnly() || g.Granted() != nil || g.Limits() != (Limits{}) {
			t.Errorf("%s gate: it says that something is granted", name)
		}
	}
	for name, s := range map[string]*Session{"nil": nil, "zero": {}} {
		_, ok, err := s.Next(ctx)
		if ok {
			t.Errorf("%s session: Next has a reply", name)
		}
		_, ref := s.Checker().MakeRef(0)
		_, lit := s.Checker().MakeLit(value.Text("x"))
		_, record := s.Checker().MakeRecord([]string{"a"}, []*message.Node{{}})
		for op, err := range map[string]error{"Submit": s.Submit(Call{ID: 1}), "Next": err, "Log": s.Log(Line{}), "Release": s.Release(), "Finish": s.Finish(ctx, value.Null(), nil), "MakeRef": ref, "MakeLit": lit, "MakeRecord": record} {
			if err == nil {
				t.Errorf("%s session: %s is not refused", name, op)
			}
		}
		s.Abandon()
	}
	var m Message
	if k, op, run := m.Key(), m.Op(), m.Run(); k != "" || op != "" || run != (Run{}) {
		t.Errorf("message: %q %q %v", k, op, run)
	}
	m.AddDetail("x")
	if v := m.PerRun("k", func() any { return 1 }); v != 1 {
		t.Errorf("message: PerRun: %v", v)
	}
	if u, err := m.Unit("k", nil); err == nil || u != nil {
		t.Errorf("message: Unit: %v", u)
	}
	if names, ok := (&Message{Checked: message.Checked{Refs: []uint32{0}}}).GrantNames(); ok || names != nil {
		t.Errorf("message: Names: %v", names)
	}
	if err := m.Spend(1, 1); err != nil {
		t.Errorf("message: Spend: %v", err)
	}
}
