package guest

// This file has the value of a method that was read but not yet called.

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

var proxyType = reflect.TypeFor[goja.Proxy]()

// methodKey identifies a method of one interface, by one of its names.
type methodKey struct {
	m    *message.Method
	name string
}

// method is a method as a function of JavaScript. All objects that have the method share it: it acts on the object that it is called on, even
// if the program read it from another one.
type method struct {
	r     *Guest
	m     *message.Method
	name  string        // the name in the program, for error texts
	read  *message.Node // the object that it was last read from, for error texts only
	line  int           // the line of the last read
	col   int
	proxy *goja.Object
}

// method returns the value of a method that is read: a function that handles reads of its own members. Otherwise task.assignee.name would
// silently be the name of a JavaScript function. The author means a column of the linked row.
func (r *Guest) method(recv *message.Node, m *message.Method, name string) goja.Value {
	key := methodKey{m, name}
	x := r.methods[key]
	if x == nil {
		x = &method{r: r, m: m, name: name}
		f := r.Function(m.Name, x.call)
		x.proxy = r.VM.ToValue(r.VM.NewProxy(f, x.traps(f))).(*goja.Object)
		if r.methods == nil {
			r.methods = map[methodKey]*method{}
		}
		r.methods[key] = x
	}
	x.read = recv
	x.line, x.col = r.here()
	if len(r.Frames) > 0 {
		r.frame().name(r, recv, m)
	}
	return x.proxy
}

func (x *method) call(c goja.FunctionCall) goja.Value {
	r := x.r
	r.frame().called(x.m)
	on := r.RecordedIn(c.This)
	if on == nil {
		what := r.Check.Name(x.read)
		panic(r.Throw(fail.Errorf(fail.Invalid, what+"."+x.m.Name, "was separated from its object: write %s.%s(…)", what, x.m.Name)))
	}
	node := on.Node
	if !on.has(x.name) {
		if row := on.only(); row != nil {
			node = row
		}
	}
	if m, _ := r.Check.Catalog.Method(node.Type, x.name); m != nil {
		return r.call(node, m, x.name, c.Arguments)
	}
	if steps := r.Synonym(node, x.name); steps != "" {
		return r.means(node, x.name, steps, c.Arguments)
	}
	return on.absent(x.name) // the object has no such method
}

func (x *method) traps(f *goja.Object) *goja.ProxyTrapConfig {
	r := x.r
	return &goja.ProxyTrapConfig{
		Get: func(_ *goja.Object, member string, _ goja.Value) goja.Value {
			switch member {
			case "call", "apply":
				return f.Get(member)
			case "bind": // bind needs the real function, because it reads members
				bind, _ := goja.AssertFunction(f.Get(member))
				return r.Function(member, func(c goja.FunctionCall) goja.Value { return r.Called(bind(f, c.Arguments...)) })
			case "toString", "valueOf", "toLocaleString":
				// If this member were undefined, the engine would print the object itself, with addresses.
				return r.Function(member, func(goja.FunctionCall) goja.Value { panic(r.Throw(r.uncalled(x.read, x.m))) })
			}
			if realm.Quiet(member) {
				return goja.Undefined()
			}
			err := r.uncalled(x.read, x.m)
			if e := AsError(err); r.GivesQuery(x.m) && strings.HasSuffix(e.Msg, "()") && keyIdent().MatchString(member) {
				e.Msg += "." + member // a form to copy: the call, then the member
			}
			panic(r.Throw(err))
		},
		Set:            func(*goja.Object, string, goja.Value, goja.Value) bool { return false },
		DefineProperty: func(*goja.Object, string, goja.PropertyDescriptor) bool { return false },
		SetPrototypeOf: func(*goja.Object, *goja.Object) bool { return false },
		DeleteProperty: func(*goja.Object, string) bool { return false },
	}
}

// uncalled returns the error for a method that was named and not called.
func (r *Guest) uncalled(recv *message.Node, m *message.Method) error {
	what := r.Check.Name(recv) + "." + m.Name
	if i := r.Check.Catalog[recv.Type.Name]; i != nil && !i.Expr && !m.Sends && len(m.Params) == 0 {
		how := ""
		if recv.Op == message.OpField && recv.Recv != nil && r.GivesQuery(m) && r.Check.Selected(recv.Recv, m.Name) != nil {
			how = r.Say(nil, "uncalled.shown", "", "it", what, "name", m.Name)
		}
		how = cmp.Or(how, r.Say(recv, "uncalled", "", "it", what), r.Say(nil, "uncalled.link", "{it} is a link: call it, {it}()", "it", what))
		return fail.Errorf(fail.Invalid, "", "%s", how)
	}
	args := "…"
	if len(m.Params) == 0 {
		args = ""
	}
	return fail.Errorf(fail.Invalid, "", "%s is a method: call it, %s(%s)", what, what, args)
}

// AsData returns the error for a method that is used as data. JSON leaves functions out, so
// without the error a program that forgot the call would silently get a result without the value.
func (r *Guest) AsData(v goja.Value) error {
	for _, x := range r.methods {
		if goja.Value(x.proxy) == v {
			return r.Placed(r.uncalled(x.read, x.m), x.line, x.col)
		}
	}
	return fail.Errorf(fail.Invalid, "", "a method was named and not called: add ()")
}

// IsMethod reports whether v is a method that was read and not called.
// Programs can't make proxies, so every callable proxy is one.
func IsMethod(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ExportType() == proxyType && o.ClassName() == "Function"
}

// protoOfRecorded returns the prototype of recorded things. It handles the symbols that JavaScript reads.
func (r *Guest) protoOfRecorded() *goja.Object {
	p := r.VM.CreateObject(nil)
	get := r.Function("iterator", func(c goja.FunctionCall) goja.Value {
		r.RefuseUnawaited(c.This)
		if x := r.RecordedIn(c.This); x != nil {
			panic(r.Throw(x.notRun()))
		}
		return goja.Undefined()
	})
	_ = p.DefineAccessorPropertySymbol(goja.SymIterator, get, nil, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return p
}
