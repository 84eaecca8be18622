package exo

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// linkedCatalog has rows with links: of a task, its owner is one row at most, its notes are many.
func linkedCatalog() message.Catalog {
	text := &message.Type{Name: "Text", Args: map[string]*message.Type{"of": {Name: value.TypeText}}}
	truth := &message.Term{Con: &message.Type{Name: "Truth", Args: map[string]*message.Type{"of": {Name: value.TypeBool}}}}
	query := func(name, row string) *message.Type {
		r := &message.Type{Name: row}
		return &message.Type{Name: name, Args: map[string]*message.Type{"row": r, "ns": {Name: value.TypeRecord, Fields: []message.TypeField{{Name: strings.ToLower(row), Type: r}}}}}
	}
	whole := func(name string, label value.Label) *message.Interface {
		return &message.Interface{Name: name, Is: []string{value.TypeRow}, Fields: map[string]*message.Property{"name": {Type: text, Label: label}}, Methods: map[string]*message.Method{}}
	}
	many := func(name string) *message.Interface {
		i := &message.Interface{Name: name, Await: "execute", Methods: map[string]*message.Method{}}
		for _, m := range []*message.Method{
			{Name: "execute", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeData}}},
			{Name: "count", Sends: true, Reply: value.NewLabel("counted"), Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}, Nested: truth},
			{Name: "exists", Result: truth},
			{Name: "some", Result: truth, Nested: truth},
			{Name: "where", Result: &message.Term{Var: "self"}, Params: []message.Param{{Name: "the condition", Want: truth, Lambda: &message.Term{Var: "ns"}}}},
		} {
			i.Methods[m.Name] = m
		}
		return i
	}
	task, tasks, user, users := whole("Task", value.Label{}), many("Tasks"), whole("User", value.NewLabel("pii")), many("Users")
	owner := &message.Method{Name: "owner", Truth: "exists", Result: &message.Term{Con: query("Users", "User")}, Label: value.NewLabel("key")}
	notes := &message.Method{Name: "notes", Result: &message.Term{Con: query("Tasks", "Task")}}
	task.Methods["owner"], tasks.Methods["owner"] = owner, owner
	task.Methods["notes"], tasks.Methods["notes"] = notes, notes
	boss := &message.Method{Name: "boss", Truth: "exists", Result: &message.Term{Con: query("Users", "User")}}
	user.Methods["boss"], users.Methods["boss"] = boss, boss
	c := message.Catalog{}
	for _, i := range []*message.Interface{task, tasks, user, users, {Name: "Text", Expr: true}, {Name: "Truth", Expr: true}} {
		c[i.Name] = i
	}
	return c
}

// walked makes the nodes of a path from a row of a callback, or with closed from the granted query.
func walked(t *testing.T, closed bool, path string) (*message.Node, error) {
	t.Helper()
	cat := linkedCatalog()
	c := &message.Checker{Catalog: cat, Bounds: Limits{}.OrDefault().Message(), Ref: func(uint32) *message.Type { return cat["Task"].Methods["notes"].Result.Con }, Show: func(uint32) string { return "tasks" }}
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
	if wantOK(t, "count of a query", err); !n.Sends() || n.Type.Name != value.TypeInt || !n.Label().Empty() {
		t.Errorf("of a query: sends %v, %s, label %v", n.Sends(), n.Type, n.Label())
	}
	n, err = walked(t, false, "notes().some()")
	if wantOK(t, "some in a callback", err); n.Sends() {
		t.Error("some sends")
	}
	_, err = walked(t, true, "notes().some()")
	wantKind(t, "some of a query", err, fail.Denied)
	_, err = walked(t, false, "notes().execute().count()")
	wantKind(t, "after what sends", err, fail.Invalid)

	c := message.Catalog{}
	i := linkedCatalog()["Users"]
	i.Methods["count"].Sink = true
	if err := c.Merge(message.Description{Type: &message.Type{Name: "Users"}, Interfaces: []*message.Interface{i}}); err == nil || !strings.Contains(err.Error(), "can't be a Sink or have an Effect") {
		t.Errorf("a sink that stands in a callback: %v", err)
	}
}

// TestOneRow: a link to at most one row has the fields of that row in a callback, each of which may be null and
// shows its label and reads those of the links; a link to many has none, nor has a query.
func TestOneRow(t *testing.T) {
	for _, path := range []string{"owner().name", "owner().boss().name", "owner().boss().boss().name"} {
		n, err := walked(t, false, path)
		if wantOK(t, path, err); n.Type.Name != "Text" || !n.Type.Args["of"].Null || !n.Type.Label.Equal(value.NewLabel("pii")) || !n.Label().Equal(value.NewLabel("key")) {
			t.Errorf("%s: %s, label %v", path, n.Type, n.Label())
		}
	}
	if linkedCatalog()["User"].Fields["name"].Type.Args["of"].Null {
		t.Error("the row's own field may be null now")
	}
	for _, path := range []string{"notes().name", "notes().owner().name", "owner().boss().nothing", "notes().owner().boss().name"} {
		_, err := walked(t, false, path)
		wantKind(t, path, err, fail.Denied)
	}
	for _, path := range []string{"name", "owner().name"} {
		_, err := walked(t, true, path)
		wantKind(t, "of a query: "+path, err, fail.Denied)
	}
	// A row that was granted itself is no row of a callback.
	c := &message.Checker{Catalog: linkedCatalog(), Bounds: Limits{}.OrDefault().Message(), Ref: func(uint32) *message.Type { return &message.Type{Name: "Task"} }, Show: func(uint32) string { return "task" }}
	n, err := c.MakeRef(0)
	wantOK(t, "the reference", err)
	n, err = c.MakeCall(n, "owner", nil)
	wantOK(t, "its link", err)
	_, err = c.MakeField(n, "name")
	wantKind(t, "of a granted row", err, fail.Denied)
}

// TestNestedCrosses: a catalogue that crosses to a worker says what methods give in callbacks.
func TestNestedCrosses(t *testing.T) {
	d := value.Decoder{Reader: wire.NewReader(string(crossed(nil, linkedCatalog()))), Values: 8}
	_, c := coding.ReadGrants(&d)
	if d.Err() != nil || c["Users"].Methods["count"].Nested == nil || c["Users"].Methods["count"].Nested.Con.Name != "Truth" || c["Users"].Methods["exists"].Nested != nil || c["Users"].Methods["execute"].Effect != message.NoEffect {
		t.Errorf("%v %+v", d.Err(), c["Users"].Methods["count"])
	}
}
