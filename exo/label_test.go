package exo

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

func drawLabel(t *rapid.T, name string) value.Label {
	return value.NewLabel(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", ""}), 0, 5).Draw(t, name)...)
}

func equalLabel(l, m value.Label) bool { return slices.Equal(l.Tags(), m.Tags()) }

// Labels are the lattice of sets of tags: FlowsTo is its order, Join its join.
func TestLabelLattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawLabel(t, "a"), drawLabel(t, "b"), drawLabel(t, "c")
		ab := a.Join(b)
		for what, ok := range map[string]bool{
			"join is an upper bound":  a.FlowsTo(ab) && b.FlowsTo(ab),
			"join is the least one":   !(a.FlowsTo(c) && b.FlowsTo(c)) || ab.FlowsTo(c),
			"join is commutative":     equalLabel(ab, b.Join(a)),
			"join is associative":     equalLabel(ab.Join(c), a.Join(b.Join(c))),
			"join is idempotent":      equalLabel(a.Join(a), a),
			"public is the bottom":    value.Label{}.FlowsTo(a) && equalLabel(a.Join(value.Label{}), a) && equalLabel(value.Label{}.Join(a), a),
			"order is reflexive":      a.FlowsTo(a),
			"order is antisymmetric":  !(a.FlowsTo(b) && b.FlowsTo(a)) || equalLabel(a, b),
			"order is transitive":     !(a.FlowsTo(b) && b.FlowsTo(c)) || a.FlowsTo(c),
			"order is that of sets":   a.FlowsTo(b) == subset(a.Tags(), b.Tags()),
			"only public is public":   a.Empty() == (len(a.Tags()) == 0),
			"Equal is that of sets":   a.Equal(b) == equalLabel(a, b),
			"Has is that of sets":     a.HasExactly("b") == slices.Contains(a.Tags(), "b") && a.HasExactly("") == slices.Contains(a.Tags(), ""),
			"a public sink is strict": a.FlowsTo(value.Label{}) == a.Empty(),
		} {
			if !ok {
				t.Errorf("%v %v %v: not so: %s", a, b, c, what)
			}
		}
	})
}

func subset(a, b []string) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// TestNearlyUntrusted: what is spelt almost as the tag of what outsiders wrote would be a secret, and nothing would be wary of it.
func TestNearlyUntrusted(t *testing.T) {
	for tag, ok := range map[string]bool{"untrusted": true, "untrusted:mail": true, "trusted": true, "pii": true, "Untrusted": false, " untrusted": false, "UNTRUSTED:x": false, "untrusted-mail": false, "untrustedness": false, "": false, "a,b": false, "{a}": false, "a]": false, "a\nb": false, "zwei Wörter": true} {
		todos := newTodos()
		todos.desc = todos.desc.Clone()
		todos.desc.Interface("Todo").Fields["diary"].Label = value.NewLabel(tag)
		_, err := NewGate(Config{Grants: map[string]Object{"todos": todos}, Record: Unrecorded})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), `for what outsiders wrote use "untrusted"`) && !strings.Contains(err.Error(), "can't be a tag: want one word or more") {
			t.Errorf("%q: %v", tag, err)
		}
		mail := newMail()
		mail.desc = mail.desc.Clone()
		mail.desc.Interfaces[0].Methods["send"].Admits = value.NewLabel(tag)
		if _, err := NewGate(Config{Grants: map[string]Object{"mail": mail}, Record: Unrecorded}); (err == nil) != ok {
			t.Errorf("%q admitted by a method: %v", tag, err)
		}
		if _, err := NewGate(Config{Admits: value.NewLabel(tag), Record: Unrecorded}); (err == nil) != ok {
			t.Errorf("%q admitted: %v", tag, err)
		}
	}
}

// A value's label only grows.
func TestValueLabelGrows(t *testing.T) {
	v := value.Int(1).WithLabel(value.NewLabel("a")).WithLabel(value.Label{}).WithLabel(value.NewLabel("b"))
	if v.Label().String() != "{a,b}" {
		t.Error(v.Label())
	}
}
