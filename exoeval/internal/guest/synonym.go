package guest

// This file accepts methods by their names in other libraries.

import (
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

// Authors know other libraries. A name that an interface lacks may be a synonym (message.Phrase, "as.name"): `take(3)` records the same as
// `limit(3)`. The host sees only its own names, and a method that a policy removed has no synonym. A form with two possible meanings is an
// error.

// synonymous returns the function that a synonym means, or nil.
func (x *Recorded) synonymous(name string) goja.Value {
	r, i := x.r, x.Iface()
	if i == nil {
		return nil
	}
	if f := x.Node.Type.Fields; len(f) == 1 && f[0].Name == "key" && r.keyedAs() == name {
		return x.member("key")
	}
	steps := r.Synonym(x.Node, name)
	if steps == "" {
		return nil
	}
	if steps == "#" { // # means the only field of the type
		if len(x.Node.Type.Fields) != 1 {
			return nil
		}
		return x.member(x.Node.Type.Fields[0].Name)
	}
	if method, read := strings.CutPrefix(steps, "."); read { // a dot means that reading the name calls the method
		if len(r.Frames) == 0 || i.Methods[method] == nil {
			return nil
		}
		return r.call(x.Node, i.Methods[method], method, nil)
	}
	first := hint.FirstStep(steps)
	if !r.Check.Has(x.Node, first) {
		return nil
	}
	r.Hearing(true)
	return r.method(x.Node, i.Methods[first], name)
}

// means calls the steps of a synonym one after the other, the first with the arguments.
func (r *Guest) means(n *message.Node, name, steps string, args []goja.Value) goja.Value {
	r.Hearing(false)
	if len(args) > 0 && realm.IsCallable(args[0]) { // the same name may mean something else with a callback
		if s := r.Synonym(n, name+"()"); s != "" {
			steps = s
		}
	}
	steps, ofArrays := strings.CutPrefix(steps, "=")
	if all := strings.Fields(strings.Trim(steps, "(")); len(all) > 0 {
		r.defined(n, r.Check.Catalog[n.Type.Name].Methods[all[len(all)-1]], args)
	}
	if ofArrays && len(args) > 0 && realm.IsCallable(args[0]) && r.shows(n) {
		// The author's callback is about the rows that select shows, but it would get the rows before select.
		how := r.Say(n, "shown", "comes after the call that chose the shown members: put it before that call, or await it and use the results", "name", name)
		on := receiver(r.Prog.Call(r.here()), name)
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(n)+"."+name, "%s", strings.ReplaceAll(how, "….", on+"."))))
	}
	var v goja.Value
	if options, rest, ok := strings.Cut(strings.TrimPrefix(steps, "("), ")"); ok && strings.HasPrefix(steps, "(") {
		v, steps = r.optioned(n, name, strings.Fields(options), args), rest
	} else {
		first, rest, _ := strings.Cut(steps, " ")
		v, steps = r.step(n, name, first, args), rest
	}
	for s := range strings.FieldsSeq(steps) {
		x := r.RecordedIn(v)
		v = r.step(x.Node, name, s, nil)
	}
	return v
}

// shows reports whether a call in the chain n has chosen which members are shown.
func (r *Guest) shows(n *message.Node) bool {
	for ; n != nil && n.Op == message.OpCall; n = n.Recv {
		if m := n.Method(); m != nil && slices.ContainsFunc(m.Params, func(p message.Param) bool { return p.Want.Con != nil && p.Want.Con.Name == value.TypeSelection }) {
			return true
		}
	}
	return false
}

// step calls one method. If the step has an operator after a slash, the method gets a field's name and the operator's arguments.
func (r *Guest) step(n *message.Node, name, step string, args []goja.Value) goja.Value {
	method, op, _ := strings.Cut(step, "/")
	m := r.Check.Catalog[n.Type.Name].Methods[method]
	if op == "" || len(m.Params) != 1 {
		return r.call(n, m, method, args)
	}
	if m.Params[0].Many {
		if len(args) != 1 {
			panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(n)+"."+name, "takes one argument; got %d", len(args))))
		}
		return r.call(n, m, method, append(slices.Clip(args), r.VM.ToValue(op)))
	}
	if len(args) == 0 || !realm.IsText(args[0]) {
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Name(n)+"."+name, "%s", r.instruct(n, name))))
	}
	return r.call(n, m, method, []goja.Value{r.compared(n, m, args[0].String(), op, args[1:])})
}

// instruct returns what to write instead of a form that has no meaning for a synonym.
func (r *Guest) instruct(n *message.Node, name string) string {
	return r.Say(n, "."+name, r.Say(n, "arguments", "wants the name of a field as its first argument"))
}

// optioned calls a method for each field of an object, in the list's order. The first method of the list gets any other argument, and an
// object without a field in the list.
func (r *Guest) optioned(n *message.Node, name string, list []string, args []goja.Value) goja.Value {
	op := func() string { return r.Check.Name(n) + "." + name }
	for len(args) > 0 && (goja.IsUndefined(args[len(args)-1]) || len(args) == 1 && realm.IsText(args[0]) && args[0].String() == "*") {
		args = args[:len(args)-1]
	}
	if len(args) == 0 {
		return r.record(n)
	}
	if len(args) > 1 {
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "takes one argument; got %d", len(args))))
	}
	o, ok := args[0].(*goja.Object)
	if !ok && !realm.IsCallable(args[0]) || ok && o.ClassName() != "Object" && !realm.IsCallable(o) {
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "%s", r.instruct(n, name))))
	}
	i := r.Check.Catalog[n.Type.Name]
	given := map[string]goja.Value{}
	if ok && !realm.IsCallable(o) {
		for _, k := range o.Keys() {
			method := k
			if s := strings.TrimPrefix(r.Synonym(n, k), "="); i.Methods[k] == nil && !strings.ContainsAny(s, "( /") {
				method = s
			}
			if !slices.Contains(list, method) {
				continue
			}
			if given[method] != nil {
				panic(r.Throw(fail.Errorf(fail.Invalid, op(), "`%s` means the same as another option: give only one of them", scalar.Shorten(k, 60))))
			}
			given[method] = o.Get(k)
		}
		if len(given) > 0 && len(given) < len(o.Keys()) {
			for _, k := range o.Keys() {
				if !slices.Contains(list, k) && !slices.Contains(list, strings.TrimPrefix(r.Synonym(n, k), "=")) {
					if out := r.Say(n, "."+k, ""); out != "" {
						panic(r.Throw(fail.Errorf(fail.Invalid, op(), "has no option `%s`; %s", scalar.Shorten(k, 60), out)))
					}
					panic(r.Throw(fail.Errorf(fail.Invalid, op(), "has no option `%s`; it has `%s`", scalar.Shorten(k, 60), strings.Join(list, "`, `"))))
				}
			}
		}
	}
	if len(given) == 0 {
		return r.call(n, i.Methods[list[0]], list[0], args)
	}
	row, _ := r.RowOf(n)
	for k := range given {
		if row != nil && row.Fields[k] != nil {
			panic(r.Throw(fail.Errorf(fail.Invalid, op(), "`%s` is both an option and a field, so its meaning is not clear: call a method for each option instead", k)))
		}
	}
	var v goja.Value
	for _, method := range list {
		if x := given[method]; x != nil {
			v = r.call(n, i.Methods[method], method, []goja.Value{x})
			n = r.RecordedIn(v).Node
		}
	}
	return v
}

// Hearing sets or clears the flag that a synonym was just read. If the synonym then gets a callback, the callback runs with its operators recorded.
func (r *Guest) Hearing(on bool) { r.flag(r.Listens, front.HelperHearing, on) }
