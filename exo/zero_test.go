package exo

import "testing"

// TestZeroValues: a Gate that was not made and a Session that was not begun refuse everything.
func TestZeroValues(t *testing.T) {
	ctx := t.Context()
	for name, g := range map[string]*Gate{"nil": nil, "zero": {}} {
		if s, err := g.Begin(ctx, Run{}, "", nil); KindOf(err) != Denied || s != nil {
			t.Errorf("%s gate: Begin: %v", name, err)
		}
		if c := g.Catalog(); c != nil {
			t.Errorf("%s gate: Catalog: %v", name, c)
		}
	}
	for name, s := range map[string]*Session{"nil": nil, "zero": {}} {
		_, ok, err := s.Next(ctx)
		if ok {
			t.Errorf("%s session: Next has a reply", name)
		}
		_, ref := s.Checker().MakeRef(0)
		_, lit := s.Checker().MakeLit(Text("x"))
		_, record := s.Checker().MakeRecord([]string{"a"}, []*Node{{}})
		for op, err := range map[string]error{"Submit": s.Submit(Call{ID: 1}), "Next": err, "Log": s.Log(Line{}), "Release": s.Release(), "Finish": s.Finish(ctx, Null(), nil), "MakeRef": ref, "MakeLit": lit, "MakeRecord": record} {
			if err == nil {
				t.Errorf("%s session: %s is not refused", name, op)
			}
		}
		s.Abandon()
	}
}
