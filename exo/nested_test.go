package exo

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/wire"
)

// linkedCatalog has rows with links: of a task, its owner is one row at most, its notes are many.
func linkedCatalog() Catalog {
	text := &Type{Name: "Text", Args: map[string]*Type{"of": {Name: TypeText}}}
	truth := &Term{Con: &Type{Name: "Truth", Args: map[string]*Type{"of": {Name: TypeBool}}}}
	query := func(name, row string) *Type {
		r := &Type{Name: row}
		return &Type{Name: name, Args: map[string]*Type{"row": r, "ns": {Name: TypeRecord, Fields: []TypeField{{Name: strings.ToLower(row), Type: r}}}}}
	}
	whole := func(name string, label Label) *Interface {
		return &Interface{Name: name, Is: []string{TypeRow}, Fields: map[string]*Property{"name": {Type: text, Label: label}}, Methods: map[string]*Method{}}
	}
	many := func(name string) *Interface {
		i := &Interface{Name: name, Await: "execute", Methods: map[string]*Method{}}
		for _, m := range []*Method{
			{Name: "execute", Sends: true, Result: &Term{Con: &Type{Name: TypeData}}},
			{Name: "count", Sends: true, Reply: NewLabel("counted"), Result: &Term{Con: &Type{Name: TypeInt}}, Nested: truth},
			{Name: "exists", Result: truth},
			{Name: "some", Result: truth, Nested: truth},
			{Name: "where", Result: &Term{Var: "self"}, Params: []Param{{Name: "the condition", Want: truth, Lambda: &Term{Var: "ns"}}}},
		} {
			i.Methods[m.Name] = m
		}
		return i
	}
	task, tasks, user, users := whole("Task", Label{}), many("Tasks"), whole("User", NewLabel("pii")), many("Users")
	owner := &Method{Name: "owner", Truth: "exists", Result: &Term{Con: query("Users", "User")}, Label: NewLabel("key")}
	notes := &Method{Name: "notes", Result: &Term{Con: query("Tasks", "Task")}}
	task.Methods["owner"], tasks.Methods["owner"] = owner, owner
	task.Methods["notes"], tasks.Methods["notes"] = notes, notes
	boss := &Method{Name: "boss", Truth: "exists", Result: &Term{Con: query("Users", "User")}}
	user.Methods["boss"], users.Methods["boss"] = boss, boss
	c := Catalog{}
	for _, i := range []*Interface{task, tasks, user, users, {Name: "Text", Expr: true}, {Name: "Truth", Expr: true}} {
		c[i.Name] = i
	}
	return c
}

// walked makes the nodes of a path from a row of a callback, or with closed from the granted query.
func walked(t *testing.T, closed bool, path string) (*Node, error) {
	t.Helper()
	cat := linkedCatalog()
	c := &Checker{Catalog: cat, Bounds: Limits{}.OrDefault().Message(), Ref: func(uint32) *Type { return cat["Task"].Methods["notes"].Result.Con }, Show: func(uint32) string { return "tasks" }}
	n, err := c.MakeRef(0)
	wantOK(t, "the reference", err)
	if !closed {
		n, err = c.MakeParam(n, "where", 0, nil)
		wantOK(t, "the placeholder", err)
		n, err = c.MakeField(n, "task")
		wantOK(t, "the row", err)
	}
	for _, s := range strings.Split(path, ".") {
		if name, call := strings.CutSuffix(s, "()"); call {
			n, err = c.MakeCall(n, name, nil)
		} else {
			n, err = c.MakeField(n, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// TestNested: what sends is an expression where its receiver depends on a callback, and carries what its reply may
// carry; what only stands there is no member elsewhere.
func TestNested(t *testing.T) {
	n, err := walked(t, false, "notes().count()")
	if wantOK(t, "count in a callback", err); n.Sends() || n.Type.Name != "Truth" || n.Label().Empty() || n.Closed() {
		t.Errorf("in a callback: sends %v, %s, label %v", n.Sends(), n.Type, n.Label())
	}
	n, err = walked(t, true, "notes().count()")
	if wantOK(t, "count of a query", err); !n.Sends() || n.Type.Name != TypeInt || !n.Label().Empty() {
		t.Errorf("of a query: sends %v, %s, label %v", n.Sends(), n.Type, n.Label())
	}
	n, err = walked(t, false, "notes().some()")
	if wantOK(t, "some in a callback", err); n.Sends() {
		t.Error("some sends")
	}
	_, err = walked(t, true, "notes().some()")
	wantKind(t, "some of a query", err, Denied)
	_, err = walked(t, false, "notes().execute().count()")
	wantKind(t, "after what sends", err, Invalid)

	c := Catalog{}
	i := linkedCatalog()["Users"]
	i.Methods["count"].Sink = true
	if err := c.merge(Description{Type: &Type{Name: "Users"}, Interfaces: []*Interface{i}}); err == nil || !strings.Contains(err.Error(), "neither a sink nor an effect") {
		t.Errorf("a sink that stands in a callback: %v", err)
	}
}

// TestOneRow: a link to at most one row has the fields of that row in a callback, each of which may be null and
// shows its label and reads those of the links; a link to many has none, nor has a query.
func TestOneRow(t *testing.T) {
	for _, path := range []string{"owner().name", "owner().boss().name", "owner().boss().boss().name"} {
		n, err := walked(t, false, path)
		if wantOK(t, path, err); n.Type.Name != "Text" || !n.Type.Args["of"].Null || !n.Type.Label.Equal(NewLabel("pii")) || !n.Label().Equal(NewLabel("key")) {
			t.Errorf("%s: %s, label %v", path, n.Type, n.Label())
		}
	}
	if linkedCatalog()["User"].Fields["name"].Type.Args["of"].Null {
		t.Error("the row's own field may be null now")
	}
	for _, path := range []string{"notes().name", "notes().owner().name", "owner().boss().nothing", "notes().owner().boss().name"} {
		_, err := walked(t, false, path)
		wantKind(t, path, err, Denied)
	}
	for _, path := range []string{"name", "owner().name"} {
		_, err := walked(t, true, path)
		wantKind(t, "of a query: "+path, err, Denied)
	}
	// A row that was granted itself is no row of a callback.
	c := &Checker{Catalog: linkedCatalog(), Bounds: Limits{}.OrDefault().Message(), Ref: func(uint32) *Type { return &Type{Name: "Task"} }, Show: func(uint32) string { return "task" }}
	n, err := c.MakeRef(0)
	wantOK(t, "the reference", err)
	n, err = c.MakeCall(n, "owner", nil)
	wantOK(t, "its link", err)
	_, err = c.MakeField(n, "name")
	wantKind(t, "of a granted row", err, Denied)
}

// TestNestedCrosses: a catalogue that crosses to a worker says what methods give in callbacks.
func TestNestedCrosses(t *testing.T) {
	d := Decoder{Reader: wire.NewReader(string(crossed(nil, linkedCatalog()))), Values: 8}
	_, c := ReadGrants(&d)
	if d.Err() != nil || c["Users"].Methods["count"].Nested == nil || c["Users"].Methods["count"].Nested.Con.Name != "Truth" || c["Users"].Methods["exists"].Nested != nil || c["Users"].Methods["execute"].Effect != NoEffect {
		t.Errorf("%v %+v", d.Err(), c["Users"].Methods["count"])
	}
}
