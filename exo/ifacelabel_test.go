package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

// TestInterfaceLabel: a thing whose interface is labelled labels each message that mentions it, whatever is asked; no policy takes the
// label off, and none gives it to a thing that has to know of it.
func TestInterfaceLabel(t *testing.T) {
	labelled := func(l value.Label) *fake {
		f := desk()
		f.desc.Interfaces[1].Label = l
		return f
	}
	label := func(o Object, x message.Expr) string {
		g, err := NewGate(Config{Record: Unrecorded, Grants: map[string]Object{"desk": o}})
		if err != nil {
			t.Fatal(err)
		}
		check := message.Checker{Catalog: g.catalog, Bounds: g.limits.Message(), Ref: func(uint32) *message.Type { return &message.Type{Name: "Desk"} }}
		m, err := check.Check(x)
		if err != nil {
			t.Fatal(err)
		}
		return m.Label.String()
	}
	drawer, look := value.NewLabel("drawer"), msg(ref(0), call(0, "look"))
	full := msg(ref(0), call(0, "drawer"), call(1, "full"))
	if got := label(labelled(drawer), full) + label(labelled(value.Label{}), full) + label(labelled(drawer), look); got != "{drawer}{}{}" {
		t.Error(got)
	}
	if g, err := NewGate(Config{Record: Unrecorded, Grants: map[string]Object{"desk": labelled(drawer)}}); err != nil || !g.labels.HasExactly("drawer") {
		t.Errorf("the gate doesn't know of it: %v", err)
	} else if i := slices.IndexFunc(g.Flows(), func(f Flow) bool { return f.Tag == "drawer" && f.To == ResultFlow }); i < 0 || g.Flows()[i].May || strings.Contains(g.Flows()[i].How, "sealed") || !slices.Equal(g.Flows()[i].From, []string{"Drawer"}) {
		t.Errorf("flows %v", g.Flows())
	}
	to := func(o Object, l value.Label) error {
		_, err := Wrap(o, Policy{Narrow: func(d *message.Description) error { d.Interfaces[1].Label = l; return nil }}).Describe()
		return err
	}
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"taken off":          {to(labelled(drawer), value.Label{}), "Drawer: the policy removed {drawer} from the label of this interface"},
		"given":              {to(labelled(drawer), value.NewLabel("drawer", "x")), ""},
		"given, unknowingly": {to(declaring{labelled(value.Label{})}, drawer), "a policy can't give the interface Drawer of this object the label {drawer}: label it"},
		"who wrote it":       {to(declaring{labelled(drawer)}, drawer.Join(value.NewLabel(value.Untrusted))), ""},
	} {
		if (c.err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(c.err), c.want) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	f := labelled(value.Label{})
	f.desc.Interfaces[3].Label = drawer
	if _, err := NewGate(Config{Record: Unrecorded, Grants: map[string]Object{"desk": f}}); err == nil || !strings.Contains(err.Error(), "is an expression") {
		t.Errorf("a value's interface: %v", err)
	}
}
