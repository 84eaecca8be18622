package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// rowsOfLink makes the selection of what a path leads to, in a callback of select.
func rowsOfLink(t *testing.T, change func(message.Catalog), steps ...string) (*message.Node, error) {
	t.Helper()
	cat := linkedCatalog()
	for _, name := range []string{"Tasks", "Users"} {
		cat[name].Methods["execute"].Result = &message.Term{App: value.TypeList, Args: map[string]*message.Term{"of": {Var: "row"}}}
		cat[name].Methods["execute"].Nested = &message.Term{App: value.TypeRows, Args: map[string]*message.Term{"of": {Var: "row"}}}
		cat[name].Methods["first"] = &message.Method{Name: "first", Sends: true, Result: &message.Term{Var: "row", Null: true}, Nested: &message.Term{Var: "self"}, Truth: "exists"}
		cat[name].Methods["select"] = &message.Method{Name: "select", Result: &message.Term{App: name, Args: map[string]*message.Term{"ns": {Var: "ns"}, "row": {Var: "out"}}},
			Params: []message.Param{{Name: "the selection", Want: &message.Term{Con: &message.Type{Name: value.TypeSelection}}, Lambda: &message.Term{Var: "ns"}, Bind: "out"}}}
	}
	if change != nil {
		change(cat)
	}
	c := &message.Checker{Catalog: cat, Bounds: Limits{}.OrDefault().Message(), Ref: func(uint32) *message.Type { return cat["Task"].Methods["notes"].Result.Con }, Show: func(uint32) string { return "tasks" }}
	tasks, err := c.MakeRef(0)
	wantOK(t, "the reference", err)
	param, err := c.MakeParam(tasks, "select", 0, nil)
	wantOK(t, "the placeholder", err)
	n, err := c.MakeField(param, "task")
	wantOK(t, "the row", err)
	for _, s := range steps {
		if n, err = c.MakeCall(n, s, nil); err != nil {
			return nil, err
		}
	}
	body, err := c.MakeRecord([]string{"x"}, []*message.Node{n})
	wantOK(t, "the record", err)
	inner, err := c.MakeRecord([]string{"in"}, []*message.Node{body})
	wantOK(t, "the record round it", err)
	l, err := c.MakeLambda(param, inner)
	if err != nil {
		return nil, err
	}
	return c.MakeCall(tasks, "select", []*message.Node{l})
}

// TestRowsOfALink: a query of linked rows in a selection is the rows, or the one row, with the labels of all that it shows
// and of what runs it; where nothing runs it nothing is shown.
func TestRowsOfALink(t *testing.T) {
	for _, x := range []struct {
		steps []string
		of    string
		label value.Label
	}{
		{[]string{"notes"}, "of", value.Label{}},
		{[]string{"notes", "owner"}, "of", value.NewLabel("pii", "key")},
		{[]string{"owner"}, "one", value.NewLabel("pii", "key")},
		{[]string{"owner", "boss"}, "one", value.NewLabel("pii", "key")},
		{[]string{"notes", "first"}, "one", value.Label{}},
		{[]string{"notes", "first", "owner"}, "one", value.NewLabel("pii", "key")},
	} {
		n, err := rowsOfLink(t, nil, x.steps...)
		if wantOK(t, "shown", err); n == nil {
			continue
		}
		shown := n.Type.Args["row"].Field("in").Field("x")
		if shown == nil || shown.Name != value.TypeRows || shown.Args[x.of] == nil || !x.label.FlowsTo(n.Label()) || !n.Label().FlowsTo(x.label) {
			t.Errorf("%v: %s %v, label %v, want %v", x.steps, shown, shown.Args, n.Label(), x.label)
		}
	}
	if n, err := rowsOfLink(t, func(c message.Catalog) { c["Users"].Methods["execute"].Reply = value.NewLabel("counted") }, "owner"); err != nil || !value.NewLabel("counted", "pii").FlowsTo(n.Label()) {
		t.Errorf("what the reply carries: %v %v", n, err)
	}
	for name, change := range map[string]func(message.Catalog){
		"nothing runs it":        func(c message.Catalog) { delete(c["Users"].Methods, "execute") },
		"it runs elsewhere only": func(c message.Catalog) { c["Users"].Methods["execute"].Nested = nil },
	} {
		_, err := rowsOfLink(t, change, "owner")
		wantKind(t, name, err, fail.Invalid)
	}
}
