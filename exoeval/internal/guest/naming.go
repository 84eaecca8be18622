package guest

// This file reads names of fields that are given instead of a callback.

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Other libraries take names of fields, objects with such names, and a direction. Here each of these arguments becomes the lambda that a
// callback with the same meaning would give.

// described makes the lambda that a callback would give. The function build makes the lambda's body.
func (r *Guest) described(recv *message.Node, m *message.Method, i int, prior []*message.Node, build func(param *message.Node) *message.Node) *message.Node {
	param, err := r.Check.MakeParam(recv, m.Name, i, prior)
	if err != nil {
		panic(r.Throw(err))
	}
	defer r.Check.Kill(param)
	return r.must(r.Check.MakeLambda(param, build(param)))
}

// must returns n, or throws err.
func (r *Guest) must(n *message.Node, err error) *message.Node {
	if err != nil {
		panic(r.Throw(err))
	}
	return n
}

// namedField returns the field that a text names. With several parts, the text has the part's name before a dot. A group's aggregates and
// measures are named like fields.
func (r *Guest) namedField(op func() string, of *message.Method, param *message.Node, name string) *message.Node {
	on := (&Recorded{r: r, Node: param}).only()
	if part, rest, ok := strings.Cut(name, "."); ok && param.Type.Field(part) != nil {
		on, name = r.must(r.Check.MakeField(param, part)), rest
	}
	if on == nil {
		panic(r.Throw(fail.Errorf(fail.Invalid, op(), "%s", r.Say(nil, "which", "there are several parts here; name the one that you mean: ({ {name} }) => …", "name", param.Type.Fields[0].Name))))
	}
	if r.Check.Selected(param, name) == nil && r.Calculated(on, name) {
		return r.must(r.Check.MakeCall(on, name, nil))
	}
	if r.Synonym(on, name) == "#" && len(on.Type.Fields) == 1 {
		name = on.Type.Fields[0].Name
	}
	if i := r.Check.Catalog[on.Type.Name]; r.Check.Selected(param, name) != nil && on.Type.Field(name) == nil && (i == nil || i.Fields[name] == nil) {
		return r.must(r.Check.MakeField(param, name)) // as in a callback, the parameter has the names that select made
	}
	n, err := r.Check.MakeField(on, name)
	if s := r.OfRows(on, name, of); err != nil && s != "" {
		err = NoMember(r.Check.Name(on), name, s)
	}
	return r.must(n, err)
}

// naming returns the lambda that v means, where m wants a callback: v names fields. It returns nil for a form without a meaning there.
func (r *Guest) naming(recv *message.Node, m *message.Method, i int, prior []*message.Node, v goja.Value) *message.Node {
	p := &m.Params[i]
	if p.Plain || p.Filter || r.RecordedIn(v) != nil {
		return nil
	}
	op := func() string { return r.Check.Name(recv) + "." + m.Name }
	var names []string
	var ways []goja.Value // the direction of each name, or nil
	o, _ := v.(*goja.Object)
	switch {
	case realm.IsText(v):
		names = []string{v.String()}
	case o != nil && realm.IsArray(v):
		for k := range int(o.Get("length").ToInteger()) {
			x := r.PlainValue(o.Get(strconv.Itoa(k)))
			if e, ok := x.(*goja.Object); ok && p.Many && len(e.Keys()) == 1 && e.ClassName() == "Object" && r.RecordedIn(x) == nil {
				x, ways = r.VM.ToValue(e.Keys()[0]), append(ways, make([]goja.Value, k+1-len(ways))...)
				ways[k] = r.PlainValue(e.Get(e.Keys()[0]))
			}
			if e, ok := x.(*goja.Object); ok && p.Many && realm.IsArray(x) && e.Get("length").ToInteger() == 2 && realm.IsText(e.Get("0")) && realm.IsText(e.Get("1")) { // ['name', 'desc']
				x, ways = e.Get("0"), append(ways, make([]goja.Value, k+1-len(ways))...)
				ways[k] = e.Get("1")
			}
			if !realm.IsText(x) || len(names) == maxNames {
				return nil
			}
			names = append(names, x.String())
		}
	case o != nil && o.ClassName() == "Object" && (p.Many || selects(p)):
		for k, name := range o.Keys() {
			if len(names) == maxNames {
				return nil
			}
			x := r.PlainValue(o.Get(name))
			if b, ok := realm.Bool(x); ok && selects(p) && b {
				names = append(names, name)
				continue
			}
			if !p.Many {
				return nil
			}
			names, ways = append(names, name), append(ways, make([]goja.Value, k+1-len(ways))...)
			ways[k] = x
		}
	}
	if len(names) == 0 || len(names) > 1 && !p.Many && !selects(p) {
		return nil
	}
	return r.described(recv, m, i, prior, func(param *message.Node) *message.Node {
		var nodes []*message.Node
		for k, name := range names {
			n := r.namedField(op, m, param, name)
			if k < len(ways) && ways[k] != nil {
				n = r.directed(op, n, ways[k])
			}
			nodes = append(nodes, n)
		}
		if selects(p) {
			for k := range names {
				names[k] = names[k][strings.LastIndexByte(names[k], '.')+1:]
			}
			return r.must(r.Check.MakeRecord(names, nodes))
		}
		if len(nodes) == 1 {
			return nodes[0]
		}
		return r.must(r.Check.MakeList(nodes))
	})
}

const maxNames = 1000 // bounds the names, because no table has so many columns

// directed returns n in a direction: a method of n, or a synonym of it ("desc", "DESC", -1).
func (r *Guest) directed(op func() string, n *message.Node, way goja.Value) *message.Node {
	if d := r.direction(n, way); d != "" {
		return r.must(r.Check.MakeCall(n, d, nil))
	}
	panic(r.Throw(fail.Errorf(fail.Invalid, op(), "%s", r.Say(n, "direction", "the part after {it} in the list has no meaning here: leave that part out", "it", r.Check.Name(n)))))
}

// direction returns the method of n that a value names as a direction, or "".
func (r *Guest) direction(n *message.Node, way goja.Value) string {
	if _, object := way.(*goja.Object); object || r.RecordedIn(way) != nil {
		return ""
	}
	name := way.String()
	m := r.methodOf(n, name)
	if s := r.Synonym(n, name); m == nil && s != "" {
		name, m = s, r.methodOf(n, s)
	}
	if m == nil || len(m.Params) > 0 || m.Result == nil || m.Result.Con == nil || r.Check.Catalog[m.Result.Con.Name] == nil || r.Check.Catalog[m.Result.Con.Name].Expr {
		return "" // the method returns no order
	}
	return name
}

// several handles a call with more arguments than the method has parameters: names of fields, a field with a value or a direction, or several
// orders. It returns nil for other forms.
func (r *Guest) several(recv *message.Node, m *message.Method, name string, args []goja.Value) goja.Value {
	if len(m.Params) == 0 {
		if steps := r.Synonym(recv, name); steps != "" {
			return r.means(recv, name, steps, args)
		}
		return nil
	}
	p := &m.Params[0]
	if len(m.Params) > 1 || p.Lambda == nil || p.Plain {
		return nil
	}
	switch {
	case p.Filter && realm.IsText(args[0]) && len(args) <= 3:
		how := "eq"
		if len(args) == 3 {
			if !realm.IsText(args[1]) {
				return nil
			}
			how = args[1].String()
		}
		return r.call(recv, m, name, []goja.Value{r.compared(recv, m, args[0].String(), how, args[len(args)-1:])})
	case selects(p):
		for _, a := range args {
			if !realm.IsText(a) {
				return nil
			}
		}
		list := scalar.Each(args, func(a goja.Value) any { return a })
		return r.call(recv, m, name, []goja.Value{r.VM.NewArray(list...)})
	case p.Many:
		if len(args) == 2 && realm.IsText(args[1]) {
			if l := r.sideways(recv, m, args[0], args[1]); l != nil {
				return r.call(recv, m, name, []goja.Value{r.record(l)})
			}
		}
		for _, a := range args {
			if !realm.IsText(a) && !realm.IsCallable(a) {
				return nil
			}
		}
		var v goja.Value
		for _, a := range args {
			v = r.call(recv, m, name, []goja.Value{a})
			recv = r.RecordedIn(v).Node
		}
		return v
	}
	return nil
}

// sideways handles an order and its direction, given as two arguments. It returns nil if the second argument is a field's name.
func (r *Guest) sideways(recv *message.Node, m *message.Method, order, way goja.Value) *message.Node {
	op := func() string { return r.Check.Name(recv) + "." + m.Name }
	turn := func(n *message.Node) *message.Node { return r.directed(op, n, way) }
	if f, ok := goja.AssertFunction(order); ok {
		return r.callback(recv, m, 0, nil, order, f, turn)
	}
	if !realm.IsText(order) {
		return nil
	}
	isWay := false
	l := r.described(recv, m, 0, nil, func(param *message.Node) *message.Node {
		n := r.namedField(op, m, param, order.String())
		if isWay = r.direction(n, way) != ""; isWay {
			n = turn(n)
		}
		return n
	})
	if !isWay {
		return nil
	}
	return l
}
