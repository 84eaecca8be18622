package guest

// This file has the meaning of a recorded thing as a truth value.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// truth returns the meaning of a link as a truth value, in a function with recorded operators. A link to at most one row means that there is a
// row (message.Method.Truth). A link to many rows is an error, because the author of `!project.tasks` may not mean an empty list. truth
// returns nil if v is no link.
func (r *Guest) truth(v goja.Value) goja.Value {
	recv, m, called := r.linkIn(v)
	if m == nil {
		return nil
	}
	q := v
	if !called {
		r.frame().called(m)
	}
	what := r.Check.Name(recv) + "." + m.Name + "()"
	if m.Truth == "" {
		if many := r.Check.Catalog.Say(r.Check.Catalog[m.Result.Con.Name], "many", "", "it", what); many != "" {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s", many)))
		}
		panic(r.Throw(r.uncalled(recv, m)))
	}
	if !called {
		q = r.call(recv, m, m.Name, nil)
	}
	x := r.RecordedIn(q)
	return r.call(x.Node, x.Iface().Methods[m.Truth], m.Truth, nil)
}

// linkIn returns the link that v names or has called. m is nil if v is no link.
func (r *Guest) linkIn(v goja.Value) (recv *message.Node, m *message.Method, called bool) {
	link := func(m *message.Method) bool {
		return !m.Sends && len(m.Params) == 0 && m.Result != nil && m.Result.Con != nil && r.Check.Catalog[m.Result.Con.Name] != nil && r.Check.Catalog[m.Result.Con.Name].Await != ""
	}
	if x := r.RecordedIn(v); x != nil {
		if n := x.Node; n.Op == message.OpCall && n.Recv != nil {
			if m := n.Method(); m.Truth != "" && m.Sends && r.Check.Row(n) != nil { // the program asked for the first of many rows
				return n.Recv, m, true
			}
			if i := r.Check.Catalog[n.Recv.Type.Name]; i != nil && !i.Expr && (i.Await == "" || r.Check.Row(n.Recv) != nil) && i.Methods[n.Name] != nil && link(i.Methods[n.Name]) {
				return n.Recv, i.Methods[n.Name], true
			}
		}
		return nil, nil, false
	}
	if !IsMethod(v) {
		return nil, nil, false
	}
	for _, x := range r.methods {
		if goja.Value(x.proxy) != v || !link(x.m) {
			continue
		}
		// All receivers share one function for a method. So the receiver is known only if the callback has read this method from just one.
		for _, n := range r.frame().named {
			if n.m != x.m {
				continue
			}
			if recv != nil && recv != n.recv {
				panic(r.Throw(r.uncalled(x.read, x.m)))
			}
			recv = n.recv
		}
		if recv != nil {
			if i := r.Check.Catalog[recv.Type.Name]; i != nil && (i.Await == "" || r.Check.Row(recv) != nil) {
				return recv, x.m, false
			}
		}
	}
	return nil, nil, false
}

// asTruth returns the truth value that a link means, or v if v is no link.
func (r *Guest) asTruth(v goja.Value) goja.Value {
	if t := r.truth(v); t != nil {
		return t
	}
	return v
}
