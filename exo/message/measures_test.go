package message

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

// deals is a query of rows that have a measure, and a group of them.
func deals() Description {
	ns := func(names ...string) map[string]*Type {
		t := &Type{Name: value.TypeRecord}
		for _, n := range names {
			t.Fields = append(t.Fields, TypeField{Name: n, Type: &Type{Name: "Deal"}})
		}
		return map[string]*Type{"ns": t}
	}
	of := &Term{Con: &Type{Name: value.TypeInt}}
	revenue := &Method{Name: "revenue", Measure: true, Sends: true, Label: value.NewLabel("x"), Result: of, Nested: of}
	return Description{Type: &Type{Name: "Deals", Args: ns("deal")}, Interfaces: []*Interface{
		{Name: "Deal", Is: []string{value.TypeRow}, Many: "Deals"},
		{Name: "Deals", Methods: map[string]*Method{"revenue": revenue, "twice": {Name: "twice", Result: &Term{Con: &Type{Name: "Joined", Args: ns("deal", "other")}}},
			"groups": {Name: "groups", Result: &Term{Con: &Type{Name: "Group", Args: ns("deal")}}}}},
		{Name: "Joined", Methods: map[string]*Method{"count": {Name: "count", Sends: true, Result: of}}},
		{Name: "Group", Methods: map[string]*Method{"count": {Name: "count", Sends: true, Result: of}}},
	}}
}

// TestMeasures: a measure of rows is a member of all that is made of them, if it can be of one of their kinds only, and nothing there can
// have its name. A policy that takes it from their queries takes it from the rest.
func TestMeasures(t *testing.T) {
	whole := Catalog{}
	if err := whole.Merge(deals()); err != nil {
		t.Fatal(err)
	}
	ask := func(cat Catalog, d Description, through string) (*Node, error) {
		c := &Checker{Catalog: cat, Bounds: Bounds{100, 100, 100}, Ref: func(uint32) *Type { return d.Type }}
		n, err := c.MakeRef(0)
		if err == nil && through != "" {
			n, err = c.MakeCall(n, through, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c.MakeCall(n, "revenue", nil)
	}
	for _, through := range []string{"", "groups"} {
		if n, err := ask(whole, deals(), through); err != nil || !n.Sends() || !n.Label().Equal(value.NewLabel("x")) {
			t.Errorf("%q: %+v %v", through, n, err)
		}
	}
	if _, err := ask(whole, deals(), "twice"); err == nil || !strings.Contains(err.Error(), "is a measure of deal and of other") {
		t.Errorf("of two: %v", err)
	}
	group := deals().Interfaces[1].Methods["groups"].Result.Con
	for name, taken := range map[string]bool{"revenue": true, "count": true, "other": false} {
		e := &env{cat: whole}
		if _, err := e.ownFields("", group, &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: name, Type: &Type{Name: value.TypeInt}}}}); taken != (err != nil) {
			t.Errorf("a key called %s: %v", name, err)
		}
	}
	if got := whole.Measures(group); len(got) != 1 || got[0] != "revenue" {
		t.Error(got)
	}
	n, err := Narrow(deals(), func(d *Description) error { delete(d.Interface("Deals").Methods, "revenue"); return nil }, func(Description) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Merge(n.Description); err != nil { // beside the whole object
		t.Fatal(err)
	}
	for _, through := range []string{"", "groups", "twice"} {
		if x, err := ask(whole, n.Description, through); err == nil || !strings.Contains(err.Error(), "no member `revenue`") {
			t.Errorf("%q after a policy took it away: %+v %v", through, x, err)
		}
	}
	for why, change := range map[string]func(*Method){
		"a measure that sends nothing": func(m *Method) { m.Sends = false }, "one that is no expression": func(m *Method) { m.Nested = nil },
		"one with a parameter": func(m *Method) { m.Params = []Param{{Want: m.Result}} },
	} {
		d := deals()
		if change(d.Interfaces[1].Methods["revenue"]); d.Interfaces[1].Validate() == nil {
			t.Errorf("%s is taken", why)
		}
	}
}
