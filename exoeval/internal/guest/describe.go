package guest

// This file records a call that describes or sends something, with its arguments and callbacks.

import (
	"fmt"
	"strconv"

	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

var RecordedType = reflect.TypeFor[*Recorded]()

// call records a method call. A sending method sends the expression and returns a promise; any
// other returns the longer expression. name is the method's name in the program, for error texts.
func (r *Guest) call(recv *message.Node, m *message.Method, name string, args []goja.Value) goja.Value {
	r.defined(recv, m, args)
	for n := len(args); n > 0 && goja.IsUndefined(args[n-1]) && (n > len(m.Params) || m.Params[n-1].Opt); n-- {
		args = args[:n-1]
	}
	i := r.Check.Catalog[recv.Type.Name]
	if v := r.changed(recv, m, args); v != nil {
		return v
	}
	// A callback sends nothing: neither by the method that await calls, nor by a method for the first row of a query that does not use the
	// callback's parameter. The rows of a link can be shown without sending: see value.TypeRows.
	if m.Sends && len(r.Frames) > 0 && (m.Nested == nil || i != nil && i.Await == m.Name || m.Truth != "" && recv.Closed()) {
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Op(recv, m.Name), "%s", r.Say(recv, "nested", "can't be called inside this callback: await it before the callback, and use its value there"))))
	}
	if m.Sends && len(m.Params) == 0 && m.Nested != nil && m.Nested.Con != nil && r.grouped[recv] {
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Op(recv, m.Name), "%s", r.Say(recv, "grouped", "could mean the number of groups or of their members: write a callback, which gets each group"))))
	}
	if len(args) > len(m.Params) {
		if v := r.several(recv, m, name, args); v != nil {
			return v
		}
		op, how := r.Check.Op(recv, m.Name), ""
		switch {
		case len(m.Params) > 0 && m.Params[0].Lambda != nil:
			if realm.IsCallable(args[0]) { // the first argument is the callback, so there are too many arguments
				how = fmt.Sprintf(", and nothing else; got %d arguments", len(args))
			}
			panic(r.Throw(fail.Errorf(fail.Invalid, op, "wants a callback, like %s%s", r.Check.Example(recv, m, 0), how)))
		case !m.Sends && len(m.Params) == 0 && r.GivesQuery(m):
			how = r.Say(nil, "linked.to", "", "it", r.Check.Name(recv)+"."+name+"()")
		case !m.Sends && len(m.Params) == 0 && realm.IsCallable(args[0]):
			how = r.Say(recv, "callback", "")
		case len(m.Params) == 1 && m.Params[0].Count:
			how = r.Say(recv, "number", "")
		case len(m.Params) == 0:
			how = r.Say(recv, "arguments", "takes no arguments")
		}
		if how != "" {
			panic(r.Throw(fail.Errorf(fail.Invalid, op, "%s", how)))
		}
		panic(r.Throw(fail.Errorf(fail.Invalid, op, "takes at most %d argument(s); got %d", len(m.Params), len(args))))
	}
	nodes := make([]*message.Node, 0, len(args))
	for i, a := range args {
		nodes = append(nodes, r.argument(recv, m, i, nodes, a))
	}
	n, err := r.make(recv, m, name, nodes)
	if err != nil {
		panic(r.Throw(err))
	}
	f := r.frame()
	f.use(recv)
	for _, a := range nodes {
		f.use(a)
	}
	if n.Sends() {
		return r.send(n)
	}
	f.made(n)
	if p := m.Params; len(p) == 1 && p[0].Want.Con != nil && p[0].Want.Con.Name == value.TypeKeys && len(args) == 1 && !realm.IsCallable(args[0]) {
		if r.grouped == nil {
			r.grouped = map[*message.Node]bool{}
		}
		r.grouped[n] = true
	}
	if len(r.Frames) > 0 {
		return r.record(n)
	}
	o := r.record(n)
	o.X.stack = r.VM.CaptureCallStack(2, nil) // two calls: the method and its caller
	return o
}

// make returns a checked call, or an error that names what to write instead.
func (r *Guest) make(recv *message.Node, m *message.Method, name string, args []*message.Node) (*message.Node, error) {
	if err := r.numbers().Held(recv, m, name, args); err != nil {
		return nil, err
	}
	n, err := r.Check.MakeCall(recv, name, args)
	if err != nil && m != nil {
		err = r.better(err, recv, m, args)
	}
	return n, err
}

func (r *Guest) argument(recv *message.Node, m *message.Method, i int, prior []*message.Node, v goja.Value) *message.Node {
	p := &m.Params[i]
	v = r.PlainValue(v)
	if p.Lambda != nil {
		if f, ok := goja.AssertFunction(v); ok {
			return r.callback(recv, m, i, prior, v, f, nil)
		}
		if p.Filter && r.RecordedIn(v) == nil {
			if o, ok := v.(*goja.Object); ok && o.ClassName() == "Object" {
				return r.filter(recv, m, i, prior, o)
			}
		}
		if l := r.naming(recv, m, i, prior, v); l != nil {
			return l
		}
		if o, ok := v.(*goja.Object); ok && r.RecordedIn(v) == nil {
			how := r.Say(recv, "options."+m.Name, "")
			if how != "" && !realm.IsArray(v) || slices.ContainsFunc(o.Keys(), func(k string) bool { return realm.IsCallable(r.PlainValue(o.Get(k))) }) {
				panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(recv)+"."+m.Name, "wants a callback, like %s%s", r.Check.Example(recv, m, i), hint.And(how))))
			}
		}
		if !p.Plain {
			if b, ok := realm.Bool(v); ok {
				panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(recv)+"."+m.Name, "wants a callback, like %s; got the plain value %t", r.Check.Example(recv, m, i), b)))
			}
		}
	}
	return r.node(v, p.Static, 0)
}

// callback calls a describing callback once, with placeholders, and makes a lambda of the result. After that the placeholders can't be used. No function
// of the guest leaves the guest. The function turn, if not nil, is applied to the result.
func (r *Guest) callback(recv *message.Node, m *message.Method, i int, prior []*message.Node, v goja.Value, f goja.Callable, turn func(*message.Node) *message.Node) *message.Node {
	param, err := r.Check.MakeParam(recv, m.Name, i, prior)
	if err != nil {
		panic(r.Throw(err))
	}
	defer r.Check.Kill(param)
	if n := v.(*goja.Object).Get("length"); n != nil && n.ToInteger() > 1 {
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(recv)+"."+m.Name, "%s", r.Say(recv, "parameter", "the callback is given one object: write {example}", "example", r.Check.Example(recv, m, i)))))
	}
	if len(r.Frames) > 64 {
		panic(r.Throw(fail.Errorf(fail.Limit, m.Name, "more than 64 callbacks are inside one another: write fewer")))
	}
	r.Frames = append(r.Frames, &frame{of: m, on: recv})
	if len(r.Frames) == 1 {
		r.Recording(true)
		defer r.Recording(false)
	}
	done := false
	defer func() {
		if !done {
			r.Frames = r.Frames[:len(r.Frames)-1]
		}
	}()
	given := param
	if row := (&Recorded{r: r, Node: param}).only(); row != nil && row.Type.Field(message.OneField) != nil && param.Recv.Type.Args[message.RowArg].Name != value.TypeRecord {
		given = r.must(r.Check.MakeField(row, message.OneField)) // the row has only one value, so the callback gets the value
	}
	result, ex := f(goja.Undefined(), r.record(given))
	if ex != nil {
		panic(r.Rethrow(ex))
	}
	op := func() string { return r.Check.Name(recv) + "." + m.Name }
	body := r.body(op, &m.Params[i], result)
	fr := r.frame()
	if fr.refused != nil { // the program may have caught the error: `try { return column < new Date() } catch {}` must not become a shorter condition
		panic(r.Throw(fr.refused))
	}
	fr.use(body)
	if err := fr.leftovers(r, op); err != nil {
		panic(r.Throw(err))
	}
	if turn != nil {
		body = turn(body)
	}
	l, err := r.Check.MakeLambda(param, body)
	if err != nil {
		panic(r.Throw(err))
	}
	r.Frames = r.Frames[:len(r.Frames)-1]
	done = true
	return l
}

// body turns the result of a callback into a node. For a frequent mistake it throws an error.
func (r *Guest) body(op func() string, p *message.Param, v goja.Value) *message.Node {
	v = r.PlainValue(v)
	if goja.IsUndefined(v) {
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "the callback returned nothing; write it as (…) => expression, or add a return")))
	}
	if PromiseOf(v) != nil {
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "the callback must not be async: before the call write const value = await …, and use value in the callback")))
	}
	if p.Want.Con != nil && p.Want.Con.Name != value.TypeSelection && r.Check.Catalog[p.Want.Con.Name] != nil && r.Check.Catalog[p.Want.Con.Name].Expr {
		if _, m, called := r.linkIn(v); m != nil && called {
			v = r.asTruth(v) // a called link counts as a truth value, as in where(t => t.assignee()); an uncalled one may come from a plain ||
		}
	}
	if b, ok := realm.Bool(v); ok && p.Want.Con != nil && !selects(p) {
		// A plain result must never be treated as a condition.
		for _, n := range r.frame().named {
			panic(r.Throw(r.uncalled(n.recv, n.m)))
		}
		without := "to have no condition leave the call out"
		if f := r.frame(); f.of != nil {
			without = r.Say(f.on, "unconditional."+f.of.Name, without, "it", r.Check.Name(f.on))
		}
		read, sample := r.Say(nil, "read.none", "it read nothing of what it was given"), "t."+r.MemberNoun()
		if names := r.frame().readNames(); len(names) > 0 {
			read, sample = "it read `"+strings.Join(names, "`, `")+"`", names[0]
		}
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "the callback returned the plain value %t instead of a condition (%s); write the condition in the callback itself, like %s === value or [a, b].includes(%s); %s", b, read, sample, sample, without)))
	}
	if o, ok := v.(*goja.Object); ok && r.RecordedIn(v) == nil && selects(p) && o.ClassName() == "Object" {
		n := r.recordNode(o, 0)
		if p.Want.Con.Name == value.TypeKeys {
			n = r.keyed(n)
		}
		return n
	}
	n := r.node(v, false, 0)
	if p.Want.Con != nil && p.Want.Con.Name == value.TypeKeys {
		return r.keyed(n)
	}
	return n
}

// keyed returns the record of keys for one expression or a list of them. keyName names each key.
func (r *Guest) keyed(n *message.Node) *message.Node {
	nodes, names := n.Args, n.Names
	switch n.Op {
	case message.OpRecord:
	case message.OpList:
		names = nil
	default:
		nodes = []*message.Node{n}
	}
	nodes = slices.Clone(nodes)
	for k, a := range nodes {
		i := r.Check.Catalog[a.Type.Name]
		if i == nil || !i.Expr {
			return n
		}
		if n.Op != message.OpRecord {
			name := r.keyName(a)
			if of := r.Check.Catalog[a.Type.Name]; n.Op != message.OpList && a.Op != message.OpField && of.Keys == "" {
				name = "key" // rows have a calculated key under the name key; callbacks may also use the name that keyedAs returns
			}
			if name == "key" && len(nodes) > 1 && a.Op != message.OpField { // g.key would not show which of several keys is meant
				panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s has no name, and each of several keys needs one: write { a: …, b: … }", r.Check.Name(a))))
			}
			names = append(names, name)
			if j := slices.Index(names, names[k]); j < k {
				panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s and %s would both be called `%s`: name them, like { a: …, b: … }", r.Check.Name(nodes[j]), r.Check.Name(a), names[k])))
			}
		}
		if i.Keys != "" && i.Methods["String"] != nil { // values of all types are grouped by their text, as in Object.groupBy
			r.frame().use(a)
			nodes[k] = r.must(r.Check.MakeCall(a, "String", nil))
		}
	}
	k, err := r.Check.MakeRecord(names, nodes)
	if err != nil {
		return n
	}
	return k
}

// keyedAs returns the name that callbacks on groups may use for the only, calculated key; "" if there is none.
func (r *Guest) keyedAs() string {
	for q := r.frame().on; q != nil && q.Op == message.OpCall; q = q.Recv {
		if p := q.Method().Params; len(p) == 1 && len(q.Args) == 1 && q.Args[0].Op == message.OpLambda && p[0].Want.Con != nil && p[0].Want.Con.Name == value.TypeKeys {
			if k := q.Args[0].Args[0]; k.Op == message.OpRecord && len(k.Args) == 1 {
				return r.keyName(k.Args[0])
			}
			return ""
		}
	}
	return ""
}

var keyIdent = scalar.Pattern(`^[A-Za-z]\w{0,60}$`)

// keyName returns the name of a key to which the program gave none: the field's name, or the interface's name for a method (message.Phrase,
// "keyed."), else "key".
func (r *Guest) keyName(n *message.Node) string {
	if n.Op == message.OpField {
		return n.Name
	}
	name := ""
	if n.Op == message.OpCall {
		i := r.Check.Catalog[n.Recv.Type.Name]
		switch name = r.Say(n.Recv, "keyed."+n.Name, ""); {
		case name == ".":
			name = r.keyName(n.Recv)
		case name == "=" || i != nil && i.Keys == n.Name:
			if name = ""; n.Args[0].Op == message.OpLit && n.Args[0].Lit.Type() == value.TypeText {
				name = n.Args[0].Lit.Text()
			}
		}
	}
	if !keyIdent().MatchString(name) {
		return "key"
	}
	return name
}

// selects reports whether a callback for p returns an object of named values.
func selects(p *message.Param) bool {
	return p.Want.Con != nil && (p.Want.Con.Name == value.TypeSelection || p.Want.Con.Name == value.TypeKeys)
}

// node turns an argument into a node. A recorded thing stays, plain data becomes a literal. A mixture becomes a record or a list of nodes.
func (r *Guest) node(v goja.Value, static bool, depth int) *message.Node {
	v = r.PlainValue(v)
	if x := r.expressionIn(v); x != nil {
		if row := x.only(); row != nil {
			return row // t => t means the one table itself
		}
		return x.Node
	}
	if goja.IsUndefined(v) {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "the value is undefined; use null for an empty value")))
	}
	if o, ok := v.(*goja.Object); ok && !static && depth < 16 && r.mixed(v, 0) {
		if realm.IsArray(v) {
			n := int(o.Get("length").ToInteger())
			if n > r.Limits.MessageNodes {
				panic(r.Throw(fail.Errorf(fail.Limit, "", "the list has %d items; the limit is %d: use a shorter one", n, r.Limits.MessageNodes)))
			}
			var args []*message.Node
			for i := range n {
				args = append(args, r.node(o.Get(strconv.Itoa(i)), false, depth+1))
			}
			l, err := r.Check.MakeList(args)
			if err != nil {
				panic(r.Throw(err))
			}
			return l
		}
		return r.recordNode(o, depth)
	}
	if IsMethod(v) {
		v.(*goja.Object).Get("()") // this throws an error that names the method
	}
	if _, ok := goja.AssertFunction(v); ok {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "a function can't be passed here; call it, and pass what it returns")))
	}
	val, err := r.ToValue(v, forArgument)
	if err != nil {
		panic(r.Throw(err))
	}
	n, err := r.Check.MakeLit(val)
	if err != nil {
		panic(r.Throw(err))
	}
	return n
}

func (r *Guest) recordNode(o *goja.Object, depth int) *message.Node {
	var names []string
	var args []*message.Node
	for _, k := range o.Keys() {
		v := r.PlainValue(o.Get(k))
		if goja.IsUndefined(v) {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` is undefined here; name a %s, like %s", scalar.Shorten(k, 60), r.MemberNoun(), r.Say(nil, "path", "x.member"))))
		}
		names = append(names, k)
		if sub, ok := v.(*goja.Object); ok && r.RecordedIn(v) == nil && sub.ClassName() == "Object" && r.boxed(sub) == "" && depth < 8 && (!r.changes() || r.mixed(v, 0)) {
			args = append(args, r.recordNode(sub, depth+1))
			continue
		}
		args = append(args, r.node(v, false, depth+1))
	}
	n, err := r.Check.MakeRecord(names, args)
	if err != nil {
		panic(r.Throw(err))
	}
	return n
}

// changes reports whether the running callback returns new values. Plain data in its result is then a value.
func (r *Guest) changes() bool {
	of := r.frame().of
	return of != nil && changesGiven(of)
}

// mixed reports whether plain data has a recorded thing in it.
func (r *Guest) mixed(v goja.Value, depth int) bool {
	budget := maxItems
	return r.mixedWithin(v, depth, &budget)
}

const MaxMixed = 20_000 // bounds the values that are recorded as one list or condition

func (r *Guest) mixedWithin(v goja.Value, depth int, budget *int) bool {
	if r.expressionIn(v) != nil {
		return true
	}
	if *budget--; *budget < 0 {
		panic(r.Throw(fail.Errorf(fail.Limit, "", "the argument has more than %d items and fields, the limit: use a smaller one", maxItems)))
	}
	v = r.PlainValue(v)
	o, ok := v.(*goja.Object)
	if !ok || depth > 8 {
		return false
	}
	switch {
	case realm.IsArray(v):
		for i := range int(o.Get("length").ToInteger()) {
			if r.mixedWithin(o.Get(strconv.Itoa(i)), depth+1, budget) {
				return true
			}
		}
	case o.ClassName() == "Object":
		for _, k := range o.Keys() {
			if r.mixedWithin(o.Get(k), depth+1, budget) {
				return true
			}
		}
	}
	return false
}

// frame is one describing callback that is being called. It notes what the callback records: a recorded thing that is not used would silently
// be dropped, and is always a mistake.
type frame struct {
	open, reads []*message.Node
	named       []naming // methods that were read and not yet called

	of *message.Method // the method that has the callback, nil outside callbacks
	on *message.Node

	refused error // the first error in the callback; it counts even if the program caught it
}

// naming is a read of a method. A method is a function, so JavaScript treats it as true: without recorded operators, `t.assignee && t.done`
// would be t.done.
type naming struct {
	recv *message.Node
	m    *message.Method
}

const maxNamed = 1000 // bounds the reads of methods in a callback, which needs far fewer

func (f *frame) name(r *Guest, recv *message.Node, m *message.Method) {
	if len(f.named) == maxNamed {
		panic(r.Throw(fail.Errorf(fail.Limit, "", "the callback names more than %d methods without calling them: write () after each", maxNamed)))
	}
	f.named = append(f.named, naming{recv, m})
}

// called removes the last read of a method, because the method is called now.
func (f *frame) called(m *message.Method) {
	for i := len(f.named) - 1; i >= 0; i-- {
		if f.named[i].m == m {
			f.named = append(f.named[:i], f.named[i+1:]...)
			return
		}
	}
}

func (r *Guest) frame() *frame {
	if len(r.Frames) == 0 {
		return &frame{}
	}
	return r.Frames[len(r.Frames)-1]
}

func (f *frame) read(n *message.Node) {
	if n.Recv != nil && n.Recv.Op == message.OpField && len(f.reads) < 8 {
		f.reads = append(f.reads, n)
	}
	f.use(n.Recv)
}

func (f *frame) readNames() (names []string) {
	for _, n := range f.reads {
		names = append(names, n.Recv.Name+"."+n.Name)
	}
	return names
}

func (f *frame) made(n *message.Node) { f.open = append(f.open, n) }

// use removes n and its parts from the recorded things that the callback has not used yet.
func (f *frame) use(n *message.Node) {
	for i := len(f.open) - 1; i >= 0; i-- {
		if f.open[i] == n || (n.Op == message.OpRecord || n.Op == message.OpList) && contains(n, f.open[i]) {
			f.open = append(f.open[:i], f.open[i+1:]...)
		}
	}
}

func contains(n, x *message.Node) bool {
	for _, a := range n.Args {
		if a == x || (a.Op == message.OpRecord || a.Op == message.OpList) && contains(a, x) {
			return true
		}
	}
	return false
}

func (f *frame) leftovers(r *Guest, op func() string) error {
	for _, n := range f.named {
		return r.uncalled(n.recv, n.m)
	}
	for _, n := range f.open {
		if i := r.Check.Catalog[n.Type.Name]; i != nil && i.Expr {
			return fail.Errorf(fail.Invalid, op(), "the result of %s is not used; join conditions with && or .and(), and return the whole", r.Check.Name(n))
		}
	}
	return nil
}

// Recording sets a flag. While it is set, a function with two bodies runs the one that records.
func (r *Guest) Recording(on bool) { r.flag(r.Flagged, front.HelperRecording, on) }

// flag sets or clears a flag that the program's rewritten code reads, if the program has such code.
func (r *Guest) flag(reads bool, name string, on bool) {
	if reads {
		_ = r.VM.GlobalObject().DefineDataProperty(name, r.VM.ToValue(on), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}
