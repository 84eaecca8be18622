package exo

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// TestListed: what was not sent stands for a list of values where an operator wants one and nowhere else, if each of its items
// is one value of the type; and the expression then has the label that awaiting it would have given.
func TestListed(t *testing.T) {
	text := &message.Type{Name: "Text", Args: map[string]*message.Type{"of": {Name: value.TypeText}}}
	record := func(fs ...message.TypeField) *message.Term {
		return &message.Term{Con: &message.Type{Name: value.TypeRecord, Fields: fs}}
	}
	truth := &message.Term{Con: &message.Type{Name: "Truth", Args: map[string]*message.Type{"of": {Name: value.TypeBool}}}}
	list := func(of *message.Term) *message.Term {
		return &message.Term{App: value.TypeList, Args: map[string]*message.Term{"of": of}}
	}
	in := &message.Method{Name: "in", Result: truth, Params: []message.Param{{Name: "the list", Want: list(&message.Term{Con: &message.Type{Name: value.TypeText}})}}}
	number := &message.Type{Name: "Number", Args: map[string]*message.Type{"of": {Name: value.TypeInt}}}
	each := map[string]*message.Term{
		"values": {Con: text}, "records": record(message.TypeField{Name: "a", Type: text}), "two": record(message.TypeField{Name: "a", Type: text}, message.TypeField{Name: "b", Type: text}),
		"numbers": {Con: number}, "rows": {Con: &message.Type{Name: "Thing"}}, "nested": record(message.TypeField{Name: "a", Type: record(message.TypeField{Name: "b", Type: text}).Con}), "data": {Con: &message.Type{Name: value.TypeText}},
	}
	cat := message.Catalog{
		"Text":  {Name: "Text", Expr: true, Methods: map[string]*message.Method{"in": in, "only": {Name: "only", Result: truth, Params: []message.Param{{Name: "the list", Want: in.Params[0].Want, Fixed: true}}}}},
		"Truth": {Name: "Truth", Expr: true}, "Number": {Name: "Number", Expr: true},
		"Thing": {Name: "Thing", Is: []string{value.TypeRow}, Fields: map[string]*message.Property{"name": {Type: text}}},
		"Box":   {Name: "Box", Methods: map[string]*message.Method{"put": {Name: "put", Sends: true, Params: in.Params, Result: truth}}},
		"All":   {Name: "All", Methods: map[string]*message.Method{}},
	}
	for name, row := range each {
		cat["Of"+name] = &message.Interface{Name: "Of" + name, Await: "execute", Methods: map[string]*message.Method{
			"execute": {Name: "execute", Sends: true, Label: value.NewLabel("followed"), Reply: value.NewLabel("replied"), Result: list(row)}}}
		cat["All"].Methods[name] = &message.Method{Name: name, Result: &message.Term{Con: &message.Type{Name: "Of" + name}}}
	}
	cat["Ofsilent"] = &message.Interface{Name: "Ofsilent", Methods: cat["Ofvalues"].Methods}
	cat["Oflost"] = &message.Interface{Name: "Oflost", Await: "gone", Methods: cat["Ofvalues"].Methods}
	cat["All"].Methods["silent"] = &message.Method{Name: "silent", Result: &message.Term{Con: &message.Type{Name: "Ofsilent"}}}
	cat["All"].Methods["lost"] = &message.Method{Name: "lost", Result: &message.Term{Con: &message.Type{Name: "Oflost"}}}
	cat["All"].Methods["where"] = &message.Method{Name: "where", Result: &message.Term{Con: &message.Type{Name: "Ofvalues"}}, Params: []message.Param{{Name: "the condition", Want: truth, Lambda: record(message.TypeField{Name: "thing", Type: &message.Type{Name: "Thing"}})}}}
	refs := []*message.Type{{Name: "All"}, {Name: "Box"}}
	c := &message.Checker{Catalog: cat, Bounds: Limits{}.OrDefault().Message(), Ref: func(id uint32) *message.Type { return refs[id] }, Show: func(uint32) string { return "all" }}
	all, err := c.MakeRef(0)
	wantOK(t, "the reference", err)
	box, err := c.MakeRef(1)
	wantOK(t, "the reference", err)
	param, err := c.MakeParam(all, "where", 0, nil)
	wantOK(t, "the placeholder", err)
	thing, err := c.MakeField(param, "thing")
	wantOK(t, "the row", err)
	name, err := c.MakeField(thing, "name")
	wantOK(t, "the column", err)
	for what := range cat["All"].Methods {
		if what == "where" {
			continue
		}
		q, err := c.MakeCall(all, what, nil)
		wantOK(t, what, err)
		n, err := c.MakeCall(name, "in", []*message.Node{q})
		if right := what == "values" || what == "records"; right != (err == nil) {
			t.Errorf("in of %s: %v", what, err)
		} else if right && n.Label().String() != value.NewLabel("followed", "replied").String() {
			t.Errorf("in of %s has the label %v", what, n.Label())
		} else if !right && !strings.Contains(err.Error(), "must be") {
			t.Errorf("in of %s: %v", what, err)
		}
		if _, err := c.MakeCall(box, "put", []*message.Node{q}); err == nil {
			t.Errorf("a method that sends was given %s for a list", what)
		}
		if _, err := c.MakeCall(name, "only", []*message.Node{q}); err == nil {
			t.Errorf("an operator that takes values was given %s for a list", what)
		}
	}
}
