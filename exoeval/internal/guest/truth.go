package guest

// This file says what a recorded thing means where JavaScript asks whether it is true.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// truth is what a link means where a truth value is wanted, in a function whose operators
// are recorded: that there is a row, for a link to at most one (message.Method.Truth). nil for
// anything that is no link. A link to many is an error that says what to write: nobody
// who writes `!project.tasks` has the empty list in mind for certain.
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

// linkIn is the link that v is, named or called; a nil method if it is none.
func (r *Guest) linkIn(v goja.Value) (recv *message.Node, m *message.Method, called bool) {
	link := func(m *message.Method) bool {
		return !m.Sends && len(m.Params) == 0 && m.Result != nil && m.Result.Con != nil && r.Check.Catalog[m.Result.Con.Name] != nil && r.Check.Catalog[m.Result.Con.Name].Await != ""
	}
	if x := r.RecordedIn(v); x != nil {
		if n := x.Node; n.Op == message.OpCall && n.Recv != nil {
			if m := n.Method(); m.Truth != "" && m.Sends && r.Check.Row(n) != nil { // the first of many
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
		// One function serves a method of all receivers. Which receiver is meant is known only if the callback has
		// named the method of just one.
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

// asTruth is v, or what it means as a truth value if it is a link.
func (r *Guest) asTruth(v goja.Value) goja.Value {
	if t := r.truth(v); t != nil {
		return t
	}
	return v
}
