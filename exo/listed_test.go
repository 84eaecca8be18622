package exo

import (
	"strings"
	"testing"
)

// TestListed: what was not sent stands for a list of values where an operator wants one and nowhere else, if each of its items
// is one value of the type; and the expression then has the label that awaiting it would have given.
func TestListed(t *testing.T) {
	text := &Type{Name: "Text", Args: map[string]*Type{"of": {Name: TypeText}}}
	record := func(fs ...TypeField) *Term { return &Term{Con: &Type{Name: TypeRecord, Fields: fs}} }
	truth := &Term{Con: &Type{Name: "Truth", Args: map[string]*Type{"of": {Name: TypeBool}}}}
	list := func(of *Term) *Term { return &Term{App: TypeList, Args: map[string]*Term{"of": of}} }
	in := &Method{Name: "in", Result: truth, Params: []Param{{Name: "the list", Want: list(&Term{Con: &Type{Name: TypeText}})}}}
	number := &Type{Name: "Number", Args: map[string]*Type{"of": {Name: TypeInt}}}
	each := map[string]*Term{
		"values": {Con: text}, "records": record(TypeField{Name: "a", Type: text}), "two": record(TypeField{Name: "a", Type: text}, TypeField{Name: "b", Type: text}),
		"numbers": {Con: number}, "rows": {Con: &Type{Name: "Thing"}}, "nested": record(TypeField{Name: "a", Type: record(TypeField{Name: "b", Type: text}).Con}), "data": {Con: &Type{Name: TypeText}},
	}
	cat := Catalog{
		"Text":  {Name: "Text", Expr: true, Methods: map[string]*Method{"in": in, "only": {Name: "only", Result: truth, Params: []Param{{Name: "the list", Want: in.Params[0].Want, Fixed: true}}}}},
		"Truth": {Name: "Truth", Expr: true}, "Number": {Name: "Number", Expr: true},
		"Thing": {Name: "Thing", Is: []string{TypeRow}, Fields: map[string]*Property{"name": {Type: text}}},
		"Box":   {Name: "Box", Methods: map[string]*Method{"put": {Name: "put", Sends: true, Params: in.Params, Result: truth}}},
		"All":   {Name: "All", Methods: map[string]*Method{}},
	}
	for name, row := range each {
		cat["Of"+name] = &Interface{Name: "Of" + name, Await: "execute", Methods: map[string]*Method{
			"execute": {Name: "execute", Sends: true, Label: NewLabel("followed"), Reply: NewLabel("replied"), Result: list(row)}}}
		cat["All"].Methods[name] = &Method{Name: name, Result: &Term{Con: &Type{Name: "Of" + name}}}
	}
	cat["Ofsilent"] = &Interface{Name: "Ofsilent", Methods: cat["Ofvalues"].Methods}
	cat["Oflost"] = &Interface{Name: "Oflost", Await: "gone", Methods: cat["Ofvalues"].Methods}
	cat["All"].Methods["silent"] = &Method{Name: "silent", Result: &Term{Con: &Type{Name: "Ofsilent"}}}
	cat["All"].Methods["lost"] = &Method{Name: "lost", Result: &Term{Con: &Type{Name: "Oflost"}}}
	cat["All"].Methods["where"] = &Method{Name: "where", Result: &Term{Con: &Type{Name: "Ofvalues"}}, Params: []Param{{Name: "the condition", Want: truth, Lambda: record(TypeField{Name: "thing", Type: &Type{Name: "Thing"}})}}}
	refs := []*Type{{Name: "All"}, {Name: "Box"}}
	c := &Checker{Catalog: cat, Bounds: Limits{}.OrDefault().Message(), Ref: func(id uint32) *Type { return refs[id] }, Show: func(uint32) string { return "all" }}
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
		n, err := c.MakeCall(name, "in", []*Node{q})
		if right := what == "values" || what == "records"; right != (err == nil) {
			t.Errorf("in of %s: %v", what, err)
		} else if right && n.Label().String() != NewLabel("followed", "replied").String() {
			t.Errorf("in of %s has the label %v", what, n.Label())
		} else if !right && !strings.Contains(err.Error(), "must be") {
			t.Errorf("in of %s: %v", what, err)
		}
		if _, err := c.MakeCall(box, "put", []*Node{q}); err == nil {
			t.Errorf("a method that sends was given %s for a list", what)
		}
		if _, err := c.MakeCall(name, "only", []*Node{q}); err == nil {
			t.Errorf("an operator that takes values was given %s for a list", what)
		}
	}
}
