package exo

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// A small world to attack: two tables, queries over them like exosql's, and a
// mailer. The objects answer nothing of their own; they record what they were asked.

func v(n string) *Term                          { return &Term{Var: n} }
func con(n string) *Term                        { return &Term{Con: &Type{Name: n}} }
func app(n string, args map[string]*Term) *Term { return &Term{App: n, Args: args} }
func column(n, of string) *Type {
	return &Type{Name: n, Args: map[string]*Type{"of": {Name: of}}}
}
func queryOf(alias, row string) *Type {
	r := &Type{Name: row}
	return &Type{Name: "Query", Args: map[string]*Type{"ns": {Name: TypeRecord, Fields: []TypeField{{Name: alias, Type: r}}}, "row": r}}
}

func iface(name string, is []string, expr bool, ms ...*Method) *Interface {
	i := &Interface{Name: name, Is: is, Expr: expr, Fields: map[string]*Property{}, Methods: map[string]*Method{}}
	for _, m := range ms {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	return i
}

func worldInterfaces() []*Interface {
	boolean := &Term{Con: column("Bool", TypeBool)}
	ext := &Term{Ext: []*Term{v("ns"), v("item.ns")}}
	columnMethods := func() []*Method {
		return []*Method{
			{Name: "eq", Params: []Param{{Name: "the value", Want: v("of")}}, Result: boolean},
			{Name: "in", Params: []Param{{Name: "the list", Want: app(TypeList, map[string]*Term{"of": v("of")})}}, Result: boolean},
			{Name: "desc", Result: con("Order")},
		}
	}
	q := iface("Query", nil, false,
		&Method{Name: "join", Params: []Param{{Name: "the query", Want: con("Query"), Lambda: v("ns"), Plain: true, Bind: "item"},
			{Name: "the condition", Want: con("Bool"), Lambda: ext, Opt: true}}, Result: app("Query", map[string]*Term{"ns": ext, "row": v("row")})},
		&Method{Name: "where", Params: []Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns")}}, Result: v("self")},
		&Method{Name: "select", Params: []Param{{Name: "the selection", Want: con(TypeSelection), Lambda: v("ns"), Bind: "out"}},
			Result: app("Query", map[string]*Term{"ns": v("ns"), "row": v("out")})},
		&Method{Name: "orderBy", Params: []Param{{Name: "the order", Want: con("Sortable"), Lambda: v("ns"), Many: true}}, Result: v("self")},
		&Method{Name: "limit", Params: []Param{{Name: "the number", Want: con(TypeInt)}}, Result: v("self")},
		&Method{Name: "as", Params: []Param{{Name: "name", Want: con(TypeText), Static: true, Ident: true}},
			Result: app("Query", map[string]*Term{"ns": {Key: "name", Of: v("ns.*")}, "row": v("row")})},
		// The type of the second argument's placeholder depends on the first argument.
		&Method{Name: "named", Params: []Param{{Name: "name", Want: con(TypeText), Static: true, Ident: true},
			{Name: "the condition", Want: con("Bool"), Lambda: &Term{Key: "name", Of: v("ns.*")}}}, Result: v("self")},
		&Method{Name: "sample", Params: []Param{{Name: "the seed", Want: con(TypeInt), Static: true}}, Result: v("self")},
		&Method{Name: "execute", Sends: true, Result: app(TypeList, map[string]*Term{"of": v("row")})},
		&Method{Name: "count", Sends: true, Result: con(TypeInt)},
		&Method{Name: "remove", Sends: true, Effect: Immediate, Result: con(TypeInt)},
	)
	q.Await = "execute"
	b := iface("Bool", []string{"Sortable"}, true, append(columnMethods(),
		&Method{Name: "and", Params: []Param{{Name: "the other", Want: con(TypeBool)}}, Result: boolean})...)
	in, tx := iface("Int", []string{"Sortable"}, true, columnMethods()...), iface("Text", []string{"Sortable"}, true, columnMethods()...)
	tx.Methods["="] = tx.Methods["eq"]
	user := iface("User", []string{TypeRow}, false, &Method{Name: "todos", Result: &Term{Con: queryOf("todo", "Todo")}})
	user.Fields["id"], user.Fields["name"] = &Property{Type: column("Int", TypeInt)}, &Property{Type: column("Text", TypeText)}
	todo := iface("Todo", []string{TypeRow}, false, &Method{Name: "user", Result: &Term{Con: queryOf("user", "User")}})
	todo.Fields["id"], todo.Fields["title"], todo.Fields["done"] = &Property{Type: column("Int", TypeInt)}, &Property{Type: column("Text", TypeText)}, &Property{Type: column("Bool", TypeBool)}
	todo.Fields["diary"] = &Property{Type: column("Text", TypeText), Label: NewLabel("diary")}
	user.Order, todo.Order = nil, nil // sorted
	return []*Interface{q, b, in, tx, iface("Order", []string{"Sortable"}, false), iface("Sortable", nil, false), user, todo}
}

func mailInterface() *Interface {
	to := &Type{Name: TypeRecord, Fields: []TypeField{{Name: "to", Type: &Type{Name: TypeText}}, {Name: "n", Type: &Type{Name: TypeInt}, Opt: true}}}
	p := []Param{{Name: "the mail", Want: &Term{Con: to}}}
	return iface("Mail", nil, false,
		&Method{Name: "send", Sends: true, Sink: true, Params: p, Result: con(TypeInt)},
		&Method{Name: "sendDiary", Sends: true, Sink: true, Effect: Immediate, Admits: NewLabel("diary", "other"), Params: p, Result: con(TypeInt)},
		&Method{Name: "peek", Sends: true, Result: con(TypeData)},
		&Method{Name: "put", Sends: true, Params: []Param{{Name: "the data", Want: con(TypeData)}}, Result: con(TypeInt)},
		&Method{Name: "dup", Sends: true, Result: con("Mail")},
		&Method{Name: "forward", Sends: true, Params: []Param{{Name: "the mailer", Want: con("Mail")}}, Result: con(TypeInt)},
	)
}

// fake is an object that does what its eval says; without one it answers 0.
type fake struct {
	desc Description
	eval func(context.Context, *Message) (Value, error)
	mu   sync.Mutex
	got  []string // the methods asked for
}

func (f *fake) Describe() (Description, error) { return f.desc, nil }

func (f *fake) Eval(ctx context.Context, m *Message) (Value, error) {
	f.mu.Lock()
	f.got = append(f.got, m.Root.Name)
	f.mu.Unlock()
	if f.eval == nil {
		return Int(0), nil
	}
	return f.eval(ctx, m)
}

func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

func newTodos() *fake {
	return &fake{desc: Description{Type: queryOf("todo", "Todo"), Interfaces: worldInterfaces()}}
}

func newUsers() *fake {
	return &fake{desc: Description{Type: queryOf("user", "User"), Interfaces: worldInterfaces()}}
}

func newMail() *fake {
	return &fake{desc: Description{Type: &Type{Name: "Mail"}, Interfaces: []*Interface{mailInterface()}}}
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
	w.t.Cleanup(func() { s.Finish(context.Background(), Value{}, errProgram) })
}

func (w *world) submit(x Expr) {
	w.t.Helper()
	w.last++
	if err := w.s.Submit(Call{ID: w.last, Expr: x}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) next() (Value, error) {
	w.t.Helper()
	r, ok, err := w.s.Next(context.Background())
	if !ok || err != nil {
		w.t.Fatal("no reply", err)
	}
	return r.Value, r.Err
}

func (w *world) send(x Expr) (Value, error) {
	w.t.Helper()
	w.submit(x)
	return w.next()
}

func (w *world) asked() int { return w.mail.asked() + w.todos.asked() + w.users.asked() }

func checker() *Checker {
	c := Catalog{}
	for _, i := range append(worldInterfaces(), mailInterface()) {
		c[i.Name] = i
	}
	types := []*Type{{Name: "Mail"}, queryOf("todo", "Todo"), queryOf("user", "User")}
	return &Checker{Catalog: c, Bounds: Limits{}.OrDefault().Message(), Ref: func(id uint32) *Type {
		if int(id) < len(types) {
			return types[id]
		}
		return nil
	}}
}

// The wire, written by hand.

func msg(ns ...WireNode) Expr        { return Expr{ns} }
func ref(id uint32) WireNode         { return WireNode{Op: OpRef, Ref: id, Recv: -1} }
func lit(x Value) WireNode           { return WireNode{Op: OpLit, Lit: x, Recv: -1} }
func txt(s string) WireNode          { return lit(Text(s)) }
func fld(r int32, n string) WireNode { return WireNode{Op: OpField, Name: n, Recv: r} }
func call(r int32, n string, args ...int32) WireNode {
	return WireNode{Op: OpCall, Name: n, Recv: r, Args: args}
}
func param(r int32, n string, arg int, prior ...int32) WireNode {
	return WireNode{Op: OpParam, Name: n, Recv: r, Arg: arg, Args: prior}
}
func lam(p, body int32) WireNode { return WireNode{Op: OpLambda, Recv: p, Args: []int32{body}} }
func record(names []string, args ...int32) WireNode {
	return WireNode{Op: OpRecord, Names: names, Args: args, Recv: -1}
}
func list(args ...int32) WireNode { return WireNode{Op: OpList, Args: args, Recv: -1} }

// then is x with more nodes.
func then(x Expr, ns ...WireNode) Expr {
	return Expr{append(x.Nodes[:len(x.Nodes):len(x.Nodes)], ns...)}
}

// open8 is todos.where(({todo}) => todo.done.eq(false)) in 8 nodes, 0 to 7.
func open8() Expr {
	return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "done"), lit(Bool(false)), call(3, "eq", 4), lam(1, 5), call(0, "where", 6))
}

// titles is todos.select(({todo}) => ({title: todo.title})).execute(): it reads nothing labelled.
func titles() Expr {
	return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "title"), record([]string{"title"}, 3), lam(1, 4), call(0, "select", 5), call(6, "execute"))
}

// diaries is todos.select(({todo}) => ({title: todo.diary.eq('x')})).execute(): it reads what is labelled.
func diaries() Expr {
	return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "diary"), txt("x"), call(3, "eq", 4), record([]string{"title"}, 5), lam(1, 6), call(0, "select", 7), call(8, "execute"))
}

// shown is titles with the labelled column: it is shown, and nothing is read of it.
func shown() Expr {
	x := titles()
	x.Nodes[3] = fld(2, "diary")
	return x
}

func sendMail(method string) Expr {
	return msg(ref(mailID), lit(RecordValue(Field{"to", Text("bob")})), call(0, method, 1))
}

func wantKind(t *testing.T, what string, err error, k Kind) {
	t.Helper()
	if err == nil || KindOf(err) != k {
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
func crossed(granted []GrantedName, c Catalog) []byte {
	var e Encoder
	WriteGrants(&e, granted, c)
	return e.B
}

// withLabel is t, labelled.
func withLabel(t *Type, l Label) *Type {
	c := *t
	c.Label = t.Label.Join(l)
	return &c
}
