package policy_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// A small world to attack: two tables, queries over them like exosql's, and a
// mailer. The objects answer nothing of their own; they record what they were asked.

func v(n string) *exo.Term                              { return &exo.Term{Var: n} }
func con(n string) *exo.Term                            { return &exo.Term{Con: &exo.Type{Name: n}} }
func app(n string, args map[string]*exo.Term) *exo.Term { return &exo.Term{App: n, Args: args} }
func column(n, of string) *exo.Type {
	return &exo.Type{Name: n, Args: map[string]*exo.Type{"of": {Name: of}}}
}
func queryOf(alias, row string) *exo.Type {
	r := &exo.Type{Name: row}
	return &exo.Type{Name: "Query", Args: map[string]*exo.Type{"ns": {Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: alias, Type: r}}}, "row": r}}
}

func iface(name string, is []string, expr bool, ms ...*exo.Method) *exo.Interface {
	i := &exo.Interface{Name: name, Is: is, Expr: expr, Fields: map[string]*exo.Property{}, Methods: map[string]*exo.Method{}}
	for _, m := range ms {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	return i
}

func worldInterfaces() []*exo.Interface {
	boolean := &exo.Term{Con: column("Bool", exo.TypeBool)}
	ext := &exo.Term{Ext: []*exo.Term{v("ns"), v("item.ns")}}
	columnMethods := func() []*exo.Method {
		return []*exo.Method{
			{Name: "eq", Params: []exo.Param{{Name: "the value", Want: v("of")}}, Result: boolean},
			{Name: "in", Params: []exo.Param{{Name: "the list", Want: app(exo.TypeList, map[string]*exo.Term{"of": v("of")})}}, Result: boolean},
			{Name: "desc", Result: con("Order")},
		}
	}
	q := iface("Query", nil, false,
		&exo.Method{Name: "join", Params: []exo.Param{{Name: "the query", Want: con("Query"), Lambda: v("ns"), Plain: true, Bind: "item"},
			{Name: "the condition", Want: con("Bool"), Lambda: ext, Opt: true}}, Result: app("Query", map[string]*exo.Term{"ns": ext, "row": v("row")})},
		&exo.Method{Name: "where", Params: []exo.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns")}}, Result: v("self")},
		&exo.Method{Name: "select", Params: []exo.Param{{Name: "the selection", Want: con(exo.TypeSelection), Lambda: v("ns"), Bind: "out"}},
			Result: app("Query", map[string]*exo.Term{"ns": v("ns"), "row": v("out")})},
		&exo.Method{Name: "orderBy", Params: []exo.Param{{Name: "the order", Want: con("Sortable"), Lambda: v("ns"), Many: true}}, Result: v("self")},
		&exo.Method{Name: "limit", Params: []exo.Param{{Name: "the number", Want: con(exo.TypeInt)}}, Result: v("self")},
		&exo.Method{Name: "as", Params: []exo.Param{{Name: "name", Want: con(exo.TypeText), Static: true, Ident: true}},
			Result: app("Query", map[string]*exo.Term{"ns": {Key: "name", Of: v("ns.*")}, "row": v("row")})},
		// The type of the second argument's placeholder depends on the first argument.
		&exo.Method{Name: "named", Params: []exo.Param{{Name: "name", Want: con(exo.TypeText), Static: true, Ident: true},
			{Name: "the condition", Want: con("Bool"), Lambda: &exo.Term{Key: "name", Of: v("ns.*")}}}, Result: v("self")},
		&exo.Method{Name: "sample", Params: []exo.Param{{Name: "the seed", Want: con(exo.TypeInt), Static: true}}, Result: v("self")},
		&exo.Method{Name: "execute", Sends: true, Result: app(exo.TypeList, map[string]*exo.Term{"of": v("row")})},
		&exo.Method{Name: "count", Sends: true, Result: con(exo.TypeInt)},
		&exo.Method{Name: "remove", Sends: true, Effect: exo.Immediate, Result: con(exo.TypeInt)},
	)
	q.Await = "execute"
	b := iface("Bool", []string{"Sortable"}, true, append(columnMethods(),
		&exo.Method{Name: "and", Params: []exo.Param{{Name: "the other", Want: con(exo.TypeBool)}}, Result: boolean})...)
	in, tx := iface("Int", []string{"Sortable"}, true, columnMethods()...), iface("Text", []string{"Sortable"}, true, columnMethods()...)
	tx.Methods["="] = tx.Methods["eq"]
	user := iface("User", []string{exo.TypeRow}, false, &exo.Method{Name: "todos", Result: &exo.Term{Con: queryOf("todo", "Todo")}})
	user.Fields["id"], user.Fields["name"] = &exo.Property{Type: column("Int", exo.TypeInt)}, &exo.Property{Type: column("Text", exo.TypeText)}
	todo := iface("Todo", []string{exo.TypeRow}, false, &exo.Method{Name: "user", Result: &exo.Term{Con: queryOf("user", "User")}})
	todo.Fields["id"], todo.Fields["title"], todo.Fields["done"] = &exo.Property{Type: column("Int", exo.TypeInt)}, &exo.Property{Type: column("Text", exo.TypeText)}, &exo.Property{Type: column("Bool", exo.TypeBool)}
	todo.Fields["diary"] = &exo.Property{Type: column("Text", exo.TypeText), Label: exo.NewLabel("diary")}
	user.Order, todo.Order = nil, nil // sorted
	return []*exo.Interface{q, b, in, tx, iface("Order", []string{"Sortable"}, false), iface("Sortable", nil, false), user, todo}
}

func mailInterface() *exo.Interface {
	to := &exo.Type{Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: "to", Type: &exo.Type{Name: exo.TypeText}}, {Name: "n", Type: &exo.Type{Name: exo.TypeInt}, Opt: true}}}
	p := []exo.Param{{Name: "the mail", Want: &exo.Term{Con: to}}}
	return iface("Mail", nil, false,
		&exo.Method{Name: "send", Sends: true, Sink: true, Params: p, Result: con(exo.TypeInt)},
		&exo.Method{Name: "sendDiary", Sends: true, Sink: true, Effect: exo.Immediate, Admits: exo.NewLabel("diary", "other"), Params: p, Result: con(exo.TypeInt)},
		&exo.Method{Name: "peek", Sends: true, Result: con(exo.TypeData)},
		&exo.Method{Name: "put", Sends: true, Params: []exo.Param{{Name: "the data", Want: con(exo.TypeData)}}, Result: con(exo.TypeInt)},
		&exo.Method{Name: "dup", Sends: true, Result: con("Mail")},
		&exo.Method{Name: "forward", Sends: true, Params: []exo.Param{{Name: "the mailer", Want: con("Mail")}}, Result: con(exo.TypeInt)},
	)
}

// fake is an object that does what its eval says; without one it answers 0.
type fake struct {
	desc exo.Description
	eval func(context.Context, *exo.Message) (exo.Value, error)
	mu   sync.Mutex
	got  []string // the methods asked for
}

func (f *fake) Describe() (exo.Description, error) { return f.desc, nil }

func (f *fake) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	f.mu.Lock()
	f.got = append(f.got, m.Root.Name)
	f.mu.Unlock()
	if f.eval == nil {
		return exo.Int(0), nil
	}
	return f.eval(ctx, m)
}

func newTodos() *fake {
	return &fake{desc: exo.Description{Type: queryOf("todo", "Todo"), Interfaces: worldInterfaces()}}
}

func newUsers() *fake {
	return &fake{desc: exo.Description{Type: queryOf("user", "User"), Interfaces: worldInterfaces()}}
}

func newMail() *fake {
	return &fake{desc: exo.Description{Type: &exo.Type{Name: "Mail"}, Interfaces: []*exo.Interface{mailInterface()}}}
}

// The numbers of the grants: they are sorted by name.
const (
	mailID, todosID, usersID = 0, 1, 2
)

// world is one session with the objects that it was granted.
type world struct {
	t    *testing.T
	gate *exo.Gate
	s    *exo.Session
	last uint64
}

func newWorld(t *testing.T, grants map[string]exo.Object) *world {
	t.Helper()
	gate, err := exo.NewGate(exo.Config{Grants: grants, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, gate: gate}
	w.open()
	return w
}

// open begins another run.
func (w *world) open() {
	s, err := w.gate.Begin(context.Background(), exo.Run{Principal: "ann"}, "", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.s, w.last = s, 0
	w.t.Cleanup(func() { s.Finish(context.Background(), exo.Null(), nil) })
}

func (w *world) send(x exo.Expr) (exo.Value, error) {
	w.t.Helper()
	w.last++
	if err := w.s.Submit(exo.Call{ID: w.last, Expr: x}); err != nil {
		w.t.Fatal(err)
	}
	r, ok, err := w.s.Next(context.Background())
	if !ok || err != nil {
		w.t.Fatal("no reply", err)
	}
	if r.Err != nil {
		return exo.Value{}, r.Err
	}
	return r.Value, nil
}

// The wire, written by hand.

func msg(ns ...exo.WireNode) exo.Expr    { return exo.Expr{Nodes: ns} }
func ref(id uint32) exo.WireNode         { return exo.WireNode{Op: exo.OpRef, Ref: id, Recv: -1} }
func lit(x exo.Value) exo.WireNode       { return exo.WireNode{Op: exo.OpLit, Lit: x, Recv: -1} }
func txt(s string) exo.WireNode          { return lit(exo.Text(s)) }
func fld(r int32, n string) exo.WireNode { return exo.WireNode{Op: exo.OpField, Name: n, Recv: r} }
func call(r int32, n string, args ...int32) exo.WireNode {
	return exo.WireNode{Op: exo.OpCall, Name: n, Recv: r, Args: args}
}
func param(r int32, n string, arg int, prior ...int32) exo.WireNode {
	return exo.WireNode{Op: exo.OpParam, Name: n, Recv: r, Arg: arg, Args: prior}
}
func lam(p, body int32) exo.WireNode {
	return exo.WireNode{Op: exo.OpLambda, Recv: p, Args: []int32{body}}
}
func record(names []string, args ...int32) exo.WireNode {
	return exo.WireNode{Op: exo.OpRecord, Names: names, Args: args, Recv: -1}
}

// then is x with more nodes.
func then(x exo.Expr, ns ...exo.WireNode) exo.Expr {
	return exo.Expr{Nodes: append(x.Nodes[:len(x.Nodes):len(x.Nodes)], ns...)}
}

// open8 is todos.where(({todo}) => todo.done.eq(false)) in 8 nodes, 0 to 7.
func open8() exo.Expr {
	return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"), lit(exo.Bool(false)), call(3, "eq", 4), lam(1, 5), call(0, "where", 6))
}

// titles is todos.select(({todo}) => ({title: todo.title})).execute(): it reads nothing labelled.
func titles() exo.Expr {
	return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "title"), record([]string{"title"}, 3), lam(1, 4), call(0, "select", 5), call(6, "execute"))
}

func wantKind(t *testing.T, what string, err error, k exo.Kind) {
	t.Helper()
	var e *exo.Error
	if !errors.As(err, &e) || e.Kind != k {
		t.Errorf("%s: got %v, want an error of kind %v", what, err, k)
	}
}

func wantOK(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
