package exoeval

import (
	"reflect"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

var proxyType = reflect.TypeFor[goja.Proxy]()

// method is what reading a method gives: a function that also answers for its
// own members. Without that, task.assignee.name would quietly be the name of a
// JavaScript function where the column of a linked row was meant.
func (r *run) method(recv *exo.Node, m *exo.Method, name string) goja.Value {
	f := r.function(m.Name, func(c goja.FunctionCall) goja.Value { return r.call(recv, m, name, c.Arguments) })
	return r.vm.ToValue(r.vm.NewProxy(f, &goja.ProxyTrapConfig{
		Get: func(f *goja.Object, member string, _ goja.Value) goja.Value {
			if member == "call" || member == "apply" || member == "bind" {
				return f.Get(member)
			}
			switch member {
			case "toString", "valueOf", "toLocaleString":
				// Undefined would make the engine print the object itself, addresses and all.
				return r.function(member, func(goja.FunctionCall) goja.Value { panic(r.throw(r.uncalled(recv, m))) })
			}
			if r.quiet(member) {
				return goja.Undefined()
			}
			panic(r.throw(r.uncalled(recv, m)))
		},
		Set:            func(*goja.Object, string, goja.Value, goja.Value) bool { return false },
		DefineProperty: func(*goja.Object, string, goja.PropertyDescriptor) bool { return false },
		SetPrototypeOf: func(*goja.Object, *goja.Object) bool { return false },
		DeleteProperty: func(*goja.Object, string) bool { return false },
	}))
}

// uncalled says what to do with a method that was named and not called.
func (r *run) uncalled(recv *exo.Node, m *exo.Method) *exo.Error {
	what := r.check.Name(recv) + "." + m.Name
	if !m.Sends && len(m.Params) == 0 {
		return exo.Errorf(exo.Invalid, "", "%s is a link: call it, %s(), and join it to use its columns", what, what)
	}
	return exo.Errorf(exo.Invalid, "", "%s is a method: call it, %s(…)", what, what)
}

// isMethod reports whether v is a method that was read and not called. Programs
// can't make proxies, so every proxy that can be called is one of these.
func isMethod(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ExportType() == proxyType && o.ClassName() == "Function"
}

// protoOfRecorded answers for the symbols that JavaScript asks a recorded thing for.
func (r *run) protoOfRecorded() *goja.Object {
	p := r.vm.CreateObject(nil)
	get := r.function("iterator", func(c goja.FunctionCall) goja.Value {
		if x := r.recordedIn(c.This); x != nil {
			panic(r.throw(x.notRun()))
		}
		return goja.Undefined()
	})
	_ = p.DefineAccessorPropertySymbol(goja.SymIterator, get, nil, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return p
}
