package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"sync"
	"testing"
)

// A small world to attack: two tables, queries over them like exosql's, and a
// mailer. The objects answer nothing of their own; they record what they were asked.

func v(n string) *message.Term   { return &message.Term{Var: n} }
func con(n string) *message.Term { return &message.Term{Con: &message.Type{Name: n}} }
func app(n string, args map[string]*message.Term) *message.Term {
	return &message.Term{App: n, Args: args}
}
func column(n, of string) *message.Type {
	return &message.Type{Name: n, Args: map[string]*message.Type{"of": {Name: of}}}
}
func queryOf(alias, row string) *message.Type {
	r := &message.Type{Name: row}
	return &message.Type{Name: "Query", Args: map[string]*message.Type{"ns": {Name: value.TypeRecord, Fields: []message.TypeField{{Name: alias, Type: r}}}, "row": r}}
}

func iface(name string, is []string, expr bool, ms ...*message.Method) *message.Interface {
	i := &message.Interface{Name: name, Is: is, Expr: expr, Fields: map[string]*message.Property{}, Methods: map[string]*message.Method{}}
	for _, m := range ms {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	return i
}

func worldInterfaces() []*message.Interface {
	boolean := &message.Term{Con: column("Bool", value.TypeBool)}
	ext := &message.Term{Ext: []*message.Term{v("ns"), v("item.ns")}}
	columnMethods := func() []*message.Method {
		return []*message.Method{
			{Name: "eq", Params: []message.Param{{Name: "the value", Want: v("of")}}, Result: boolean},
			{Name: "in", Params: []message.Param{{Name: "the list", Want: app(value.TypeList, map[string]*message.Term{"of": v("of")})}}, Result: boolean},
			{Name: "desc", Result: con("Order")},
		}
	}
	q := iface("Query", nil, false,
		&message.Method{Name: "join", Params: []message.Param{{Name: "the query", Want: con("Query"), Lambda: v("ns"), Plain: true, Bind: "item"},
			{Name: "the condition", Want: con("Bool"), Lambda: ext, Opt: true}}, Result: app("Query", map[string]*message.Term{"ns": ext, "row": v("row")})},
		&message.Method{Name: "where", Params: []message.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns")}}, Result: v("self")},
		&message.Method{Name: "select", Params: []message.Param{{Name: "the selection", Want: con(value.TypeSelection), Lambda: v("ns"), Bind: "out"}},
			Result: app("Query", map[string]*message.Term{"ns": v("ns"), "row": v("out")})},
		&message.Method{Name: "orderBy", Params: []message.Param{{Name: "the order", Want: con("Sortable"), Lambda: v("ns"), Many: true}}, Result: v("self")},
		&message.Method{Name: "limit", Params: []message.Param{{Name: "the number", Want: con(value.TypeInt)}}, Result: v("self")},
		&message.Method{Name: "as", Params: []message.Param{{Name: "name", Want: con(value.TypeText), Static: true, Ident: true}},
			Result: app("Query", map[string]*message.Term{"ns": {Key: "name", Of: v("ns.*")}, "row": v("row")})},
		// The type of the second argument's placeholder depends on the first argument.
		&message.Method{Name: "named", Params: []message.Param{{Name: "name", Want: con(value.TypeText), Static: true, Ident: true},
			{Name: "the condition", Want: con("Bool"), Lambda: &message.Term{Key: "name", Of: v("ns.*")}}}, Result: v("self")},
		&message.Method{Name: "sample", Params: []message.Param{{Name: "the seed", Want: con(value.TypeInt), Static: true}}, Result: v("self")},
		&message.Method{Name: "execute", Sends: true, Result: app(value.TypeList, map[string]*message.Term{"of": v("row")})},
		&message.Method{Name: "count", Sends: true, Result: con(value.TypeInt)},
		&message.Method{Name: "remove", Sends: true, Effect: message.Immediate, Result: con(value.TypeInt)},
	)
	q.Await = "execute"
	b := iface("Bool", []string{"Sortable"}, true, append(columnMethods(),
		&message.Method{Name: "and", Params: []message.Param{{Name: "the other", Want: con(value.TypeBool)}}, Result: boolean})...)
	in, tx := iface("Int", []string{"Sortable"}, true, columnMethods()...), iface("Text", []string{"Sortable"}, true, columnMethods()...)
	tx.Methods["="] = tx.Methods["eq"]
	user := iface("User", []string{value.TypeRow}, false, &message.Method{Name: "todos", Result: &message.Term{Con: queryOf("todo", "Todo")}})
	user.Fields["id"], user.Fields["name"] = &message.Property{Type: column("Int", value.TypeInt)}, &message.Property{Type: column("Text", value.TypeText)}
	todo := iface("Todo", []string{value.TypeRow}, false, &message.Method{Name: "user", Result: &message.Term{Con: queryOf("user", "User")}})
	todo.Fields["id"], todo.Fields["title"], todo.Fields["done"] = &message.Property{Type: column("Int", value.TypeInt)}, &message.Property{Type: column("Text", value.TypeText)}, &message.Property{Type: column("Bool", value.TypeBool)}
	todo.Fields["diary"] = &message.Property{Type: column("Text", value.TypeText), Label: value.NewLabel("diary")}
	user.Order, todo.Order = nil, nil // sorted
	return []*message.Interface{q, b, in, tx, iface("Order", []string{"Sortable"}, false), iface("Sortable", nil, false), user, todo}
}

func mailInterface() *message.Interface {
	to := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "to", Type: &message.Type{Name: value.TypeText}}, {Name: "n", Type: &message.Type{Name: value.TypeInt}, Opt: true}}}
	p := []message.Param{{Name: "the mail", Want: &message.Term{Con: to}}}
	return iface("Mail", nil, false,
		&message.Method{Name: "send", Sends: true, Sink: true, Params: p, Result: con(value.TypeInt)},
		&message.Method{Name: "sendDiary", Sends: true, Sink: true, Effect: message.Immediate, Admits: value.NewLabel("diary", "other"), Params: p, Result: con(value.TypeInt)},
		&message.Method{Name: "peek", Sends: true, Result: con(value.TypeData)},
		&message.Method{Name: "put", Sends: true, Params: []message.Param{{Name: "the data", Want: con(value.TypeData)}}, Result: con(value.TypeInt)},
		&message.Method{Name: "dup", Sends: true, Result: con("Mail")},
		&message.Method{Name: "forward", Sends: true, Params: []message.Param{{Name: "the mailer", Want: con("Mail")}}, Result: con(value.TypeInt)},
	)
}

// fake is an object that does what its eval says; without one it answers 0.
type fake struct {
	desc message.Description
	eval func(context.Context, *Message) (value.Value, error)
	mu   sync.Mutex
	got  []string // the methods asked for
}

func (f *fake) Describe() (message.Description, error) { return f.desc, nil }

func (f *fake) Eval(ctx context.Context, m *Message) (value.Value, error) {
	f.mu.Lock()
	f.got = append(f.got, m.Root.Name)
	f.mu.Unlock()
	if f.eval == nil {
		return value.Int(0), nil
	}
	return f.eval(ctx, m)
}

func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

func newTodos() *fake {
	return &fake{desc: message.Description{Type: queryOf("todo", "Todo"), Interfaces: worldInterfaces()}}
}

func newUsers() *fake {
	return &fake{desc: message.Description{Type: queryOf("user", "User"), Interfaces: worldInterfaces()}}
}

func newMail() *fake {
	return &fake{desc: message.Description{Type: &message.Type{Name: "Mail"}, Interfaces: []*message.Interface{mailInterface()}}}
}

// The numbers of the grants: they are sorted by name.
const (
	mailID, todosID, usersID = 0, 1, 2
)

// world is one session with the three objects.
type world struct {
	t                  *testing.T
	mail, todos, users *fake
	gate               *Gate
	s                  *Session
	last               uint64
	mu                 sync.Mutex
	events, ofRun      []Entry // about messages, and about the run
}

func newWorld(t *testing.T, cfg Config) *world {
	t.Helper()
	w := &world{t: t, mail: newMail(), todos: newTodos(), users: newUsers()}
	if cfg.Grants == nil {
		cfg.Grants = map[string]Object{"mail": w.mail, "todos": w.todos, "users": w.users}
	}
	recorded := 0
	cfg.Record = RecordFunc(func(e Entry) error {
		recorded++ // without a lock: RecordFunc promises never to call twice at a time
		w.mu.Lock()
		defer w.mu.Unlock()
		if e.Call != 0 {
			w.events = append(w.events, e)
		} else {
			w.ofRun = append(w.ofRun, e)
		}
		return nil
	})
	var err error
	if w.gate, err = NewGate(cfg); err != nil {
		t.Fatal(err)
	}
	w.open()
	return w
}

// begin begins a run for p.
func begin(t testing.TB, g *Gate, ctx context.Context, p Principal) *Session {
	t.Helper()
	s, err := g.Begin(ctx, Run{Principal: p}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var errProgram = errors.New("the program failed")

// open begins another run.
func (w *world) open() {
	s := begin(w.t, w.gate, context.Background(), "ann")
	w.s, w.last = s, 0
	w.t.Cleanup(func() { s.Finish(context.Background(), value.Value{}, errProgram) })
}

func (w *world) submit(x message.Expr) {
	w.t.Helper()
	w.last++
	if err := w.s.Submit(Call{ID: w.last, Expr: x}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) next() (value.Value, error) {
	w.t.Helper()
	r, ok, err := w.s.Next(context.Background())
	if !ok || err != nil {
		w.t.Fatal("no reply", err)
	}
	return r.Value, r.Err
}

func (w *world) send(x message.Expr) (value.Value, error) {
	w.t.Helper()
	w.submit(x)
	return w.next()
}

func (w *world) asked() int { return w.mail.asked() + w.todos.asked() + w.users.asked() }

func checker() *message.Checker {
	c := message.Catalog{}
	for _, i := range append(worldInterfaces(), mailInterface()) {
		c[i.Name] = i
	}
	types := []*message.Type{{Name: "Mail"}, queryOf("todo", "Todo"), queryOf("user", "User")}
	return &message.Checker{Catalog: c, Bounds: Limits{}.OrDefault().Message(), Ref: func(id uint32) *message.Type {
		if int(id) < len(types) {
			return types[id]
		}
		return nil
	}}
}

// The wire, written by hand.

func msg(ns ...message.WireNode) message.Expr { return message.Expr{Nodes: ns} }
func ref(id uint32) message.WireNode          { return message.WireNode{Op: message.OpRef, Ref: id, Recv: -1} }
func lit(x value.Value) message.WireNode {
	return message.WireNode{Op: message.OpLit, Lit: x, Recv: -1}
}
func txt(s string) message.WireNode { return lit(value.Text(s)) }
func fld(r int32, n string) message.WireNode {
	return message.WireNode{Op: message.OpField, Name: n, Recv: r}
}
func call(r int32, n string, args ...int32) message.WireNode {
	return message.WireNode{Op: message.OpCall, Name: n, Recv: r, Args: args}
}
func param(r int32, n string, arg int, prior ...int32) message.WireNode {
	return message.WireNode{Op: message.OpParam, Name: n, Recv: r, Arg: arg, Args: prior}
}
func lam(p, body int32) message.WireNode {
	return message.WireNode{Op: message.OpLambda, Recv: p, Args: []int32{body}}
}
func record(names []string, args ...int32) message.WireNode {
	return message.WireNode{Op: message.OpRecord, Names: names, Args: args, Recv: -1}
}
func list(args ...int32) message.WireNode {
	return message.WireNode{Op: message.OpList, Args: args, Recv: -1}
}

// then is x with more nodes.
func then(x message.Expr, ns ...message.WireNode) message.Expr {
	return message.Expr{Nodes: append(x.Nodes[:len(x.Nodes):len(x.Nodes)], ns...)}
}

// open8 is todos.where(({todo}) => todo.done.eq(false)) in 8 nodes, 0 to 7.
func open8() message.Expr {
	return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"), lit(value.Bool(false)), call(3, "eq", 4), lam(1, 5), call(0, "where", 6))
}

// titles is todos.select(({todo}) => ({title: todo.title})).execute(): it reads nothing labelled.
func titles() message.Expr {
	return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "title"), record([]string{"title"}, 3), lam(1, 4), call(0, "select", 5), call(6, "execute"))
}

// diaries is todos.select(({todo}) => ({title: todo.diary.eq('x')})).execute(): it reads what is labelled.
func diaries() message.Expr {
	return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "diary"), txt("x"), call(3, "eq", 4), record([]string{"title"}, 5), lam(1, 6), call(0, "select", 7), call(8, "execute"))
}

// shown is titles with the labelled column: it is shown, and nothing is read of it.
func shown() message.Expr {
	x := titles()
	x.Nodes[3] = fld(2, "diary")
	return x
}

func sendMail(method string) message.Expr {
	return msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: value.Text("bob")})), call(0, method, 1))
}

func wantKind(t *testing.T, what string, err error, k fail.Kind) {
	t.Helper()
	if err == nil || fail.KindOf(err) != k {
		t.Errorf("%s: got %v, want an error of kind %v", what, err, k)
	}
}

func wantOK(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// crossed is what a worker reads of what was granted.
func crossed(granted []message.GrantedName, c message.Catalog) []byte {
	var e value.Encoder
	coding.WriteGrants(&e, granted, c)
	return e.B
}

// withLabel is t, labelled.
func withLabel(t *message.Type, l value.Label) *message.Type {
	c := *t
	c.Label = t.Label.Join(l)
	return &c
}
