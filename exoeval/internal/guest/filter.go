package guest

// This file turns an object or a name into a condition.

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// A plain object can be a condition. Each field equals a value, is one of a list, or fulfils an object of operators. `and`, `or` and `not`
// join such objects, and a link takes such an object for its rows. The operators of other libraries are synonyms (message.Phrase). A key that
// is no condition is an error.

const maxFilterDepth = 16

// filter turns a plain object into a lambda.
func (r *Guest) filter(recv *message.Node, m *message.Method, i int, prior []*message.Node, o *goja.Object) *message.Node {
	f := &filterer{r: r, op: func() string { return r.Check.Name(recv) + "." + m.Name }, of: m.Name}
	return r.described(recv, m, i, prior, func(param *message.Node) *message.Node {
		row := (&Recorded{r: r, Node: param}).only()
		if row == nil {
			f.fail(r.Say(nil, "which", "there are several parts here; name the one that you mean: ({ {name} }) => …", "name", param.Type.Fields[0].Name))
		}
		f.part, f.row, f.param = param.Type.Fields[0].Name, row, param
		cond := f.all(row, o, 0)
		if cond == nil {
			f.fail("the filter is empty; to have no condition leave the call out")
		}
		return cond
	})
}

// compared records a condition from a field's name, an operator and its argument.
func (r *Guest) compared(recv *message.Node, m *message.Method, name, operator string, args []goja.Value) goja.Value {
	f := &filterer{r: r, op: func() string { return r.Check.Name(recv) + "." + m.Name }}
	return r.record(r.described(recv, m, 0, nil, func(param *message.Node) *message.Node {
		field := r.namedField(f.op, m, param, name)
		v := goja.Value(r.VM.ToValue(true))
		switch len(args) {
		case 0:
		case 1:
			v = r.PlainValue(args[0])
		default:
			list := scalar.Each(args, func(a goja.Value) any { return a })
			v = r.VM.NewArray(list...)
		}
		return f.operator(field, operator, v, 0)
	}))
}

// filterer makes the condition from one filter object.
type filterer struct {
	r    *Guest
	op   func() string
	of   string // the method that takes the object as its argument; "" if none
	part string // the name of the rows in the query

	row, param *message.Node // the row of the whole filter, and the callback's parameter that has this row
}

func (f *filterer) fail(format string) {
	panic(f.r.Throw(fail.Errorf(fail.Invalid, f.op(), "%s", format)))
}

// join returns cond and c, joined by a method like "and", or c alone if cond is nil.
func (f *filterer) join(cond *message.Node, method string, c *message.Node) *message.Node {
	if cond == nil {
		return c
	}
	return f.r.must(f.r.Check.MakeCall(cond, method, []*message.Node{c}))
}

// all returns the condition that every key of o is true for a row; nil if o has no key.
func (f *filterer) all(row *message.Node, o *goja.Object, depth int) (cond *message.Node) {
	if depth > maxFilterDepth {
		f.fail("the filter has too many objects inside one another: write a callback")
	}
	for _, k := range o.Keys() {
		cond = f.join(cond, "and", f.key(row, k, f.r.PlainValue(o.Get(k)), depth))
	}
	return cond
}

// key returns the condition that one key of a filter object sets.
func (f *filterer) key(row *message.Node, k string, v goja.Value, depth int) *message.Node {
	r := f.r
	x := &Recorded{r: r, Node: row}
	i := x.Iface()
	isField := i != nil && i.Fields[k] != nil || row.Type.Field(k) != nil || r.Check.Row(row) != nil && r.Check.Row(row).Fields[k] != nil
	switch word := strings.ToLower(strings.TrimPrefix(k, "$")); {
	case isField:
	case (row != f.row || r.Check.Selected(f.param, k) == nil) && r.Calculated(row, k):
		return f.field(r.must(r.Check.MakeCall(row, k, nil)), v, depth)
	case i != nil && i.Methods[k] != nil && !r.Calculated(row, k):
		return f.link(row, i.Methods[k], k, v, depth)
	case word == "and", word == "or", word == "not":
		return f.logic(row, k, word, v, depth)
	default:
		if name, last, dotted := strings.Cut(k, "."); dotted && name == f.part {
			f.fail(r.Say(nil, "filter.names", "a filter object has names without a dot: write `{name}`", "name", scalar.Shorten(last, 60)))
		}
	}
	if row == f.row && !isField && r.Check.Selected(f.param, k) != nil {
		row = f.param // as in a callback, the parameter has the names that select made
	}
	n, err := r.Check.MakeField(row, k)
	if s := r.Having(row, k, v.Export()); err != nil && s != "" && row == f.row && f.param.Recv.Closed() {
		f.fail(s)
	}
	return f.field(r.must(n, err), v, depth)
}

// logic returns the condition of a key and, or or not, which is word. It joins the conditions of the object, or the list of objects, in v.
func (f *filterer) logic(row *message.Node, k, word string, v goja.Value, depth int) *message.Node {
	r := f.r
	list := []goja.Value{v}
	if realm.IsArray(v) {
		list = r.ItemsOf(v.(*goja.Object), "list of `"+k+"`", maxNames)
		for i := range list {
			list[i] = r.PlainValue(list[i])
		}
	}
	var cond *message.Node
	for _, x := range list {
		o, ok := x.(*goja.Object)
		if !ok || o.ClassName() != "Object" {
			f.fail("`" + k + "` wants an object of conditions, or a list of them")
		}
		c := f.all(row, o, depth+1)
		if c == nil {
			f.fail("an object of `" + k + "` is empty: write a condition, or leave it out")
		}
		how := "and"
		if word == "not" {
			c = r.must(r.Check.MakeCall(c, "!", nil))
		} else if word == "or" {
			how = "or"
		}
		cond = f.join(cond, how, c)
	}
	if cond == nil {
		f.fail("the list of `" + k + "` is empty: write a condition, or leave it out")
	}
	return cond
}

// field returns the condition that v sets for a field.
func (f *filterer) field(field *message.Node, v goja.Value, depth int) *message.Node {
	r := f.r
	if m := r.methodOf(field, f.of); f.of != "" && m != nil && r.expressionIn(v) == nil && !goja.IsNull(v) { // v is compared with the whole value that the method returns
		return r.must(r.make(field, m, f.of, []*message.Node{r.node(v, false, 0)}))
	}
	if o, ok := v.(*goja.Object); ok && o.ClassName() == "Object" && r.RecordedIn(v) == nil && r.ValueType(field) != value.TypeJSON {
		var cond *message.Node
		for _, k := range o.Keys() {
			cond = f.join(cond, "and", f.operator(field, k, r.PlainValue(o.Get(k)), depth+1))
		}
		if cond == nil {
			name := scalar.Shorten(field.Name, 60)
			f.fail("`" + name + ": {}` has no condition: write `" + name + ": value`, or leave it out")
		}
		return cond
	}
	method := "eq"
	if realm.IsArray(v) {
		method = "in"
	}
	if r.methodOf(field, method) == nil && r.methodOf(field, "isNull") != nil {
		if !goja.IsNull(v) {
			panic(r.Throw(r.lacks(field, "===", "===")))
		}
		return r.must(r.Check.MakeCall(field, "isNull", nil))
	}
	return r.must(r.make(field, r.methodOf(field, method), method, []*message.Node{r.node(v, false, 0)}))
}

// operator returns a condition on a field by an operator's name, or a synonym of the name.
func (f *filterer) operator(field *message.Node, k string, v goja.Value, depth int) *message.Node {
	r := f.r
	if depth > maxFilterDepth {
		f.fail("the filter has too many objects inside one another: write a callback")
	}
	word := strings.TrimPrefix(k, "$")
	if strings.EqualFold(word, "not") {
		return r.must(r.Check.MakeCall(f.field(field, v, depth+1), "!", nil))
	}
	m := r.methodOf(field, word)
	if s := r.Synonym(field, word); m == nil && s != "" {
		word, m = s, r.methodOf(field, s)
	}
	name := scalar.Shorten(k, 60)
	if m == nil || !r.isCondition(m) {
		otherwise := r.Say(field, "operator", "a filter object compares `{name}` with a value; for other conditions write a callback, like ({ {part} }) => {part}.{name} !== value", "name", field.Name, "part", f.part)
		f.fail("`" + name + "` is no condition of " + r.Check.Name(field) + ": " + r.Say(field, "."+word, otherwise))
	}
	var args []*message.Node
	switch {
	case len(m.Params) == 0:
		if b, ok := realm.Bool(v); !ok || !b {
			f.fail("`" + name + "` takes only true: write `" + name + ": true`, or leave it out")
		}
	case len(m.Params) == 2 && !m.Params[1].Opt && realm.IsArray(v) && v.(*goja.Object).Get("length").ToInteger() == 2:
		for i := range 2 {
			args = append(args, r.node(v.(*goja.Object).Get(strconv.Itoa(i)), false, 0))
		}
	default:
		args = []*message.Node{r.node(v, false, 0)}
	}
	return r.must(r.make(field, m, word, args))
}

// isCondition reports whether a method of an expression returns true or false.
func (r *Guest) isCondition(m *message.Method) bool {
	return m.Result != nil && m.Result.Con != nil && m.Result.Con.Args["of"] != nil && m.Result.Con.Args["of"].Name == value.TypeBool
}

// link returns a condition on the rows of a link. The keys of v are methods of the link that take a condition. For a link to at most one row,
// v may also be that row's filter, or null.
func (f *filterer) link(row *message.Node, m *message.Method, k string, v goja.Value, depth int) *message.Node {
	r := f.r
	refuse := func() {
		f.fail(r.Say(nil, "filter.link", "`{name}` is a method, and a filter object compares fields: write a callback", "name", k))
	}
	o, ok := v.(*goja.Object)
	if m.Sends || len(m.Params) > 0 || !goja.IsNull(v) && (!ok || o.ClassName() != "Object") || depth > maxFilterDepth {
		refuse()
	}
	q, err := r.Check.MakeCall(row, m.Name, nil)
	i := r.Check.Catalog[m.Result.Con.Name]
	if err != nil || i == nil || i.Await == "" {
		refuse()
	}
	if !ok {
		if m.Truth == "" {
			refuse()
		}
		return r.must(r.Check.MakeCall(r.must(r.Check.MakeCall(q, m.Truth, nil)), "!", nil))
	}
	ask := func(method string, v goja.Value) *message.Node {
		if s := r.Synonym(q, method); i.Methods[method] == nil {
			method = s
		}
		mm := i.Methods[method]
		if mm == nil || mm.Nested == nil || len(mm.Params) != 1 || !mm.Params[0].Filter {
			return nil
		}
		return r.must(r.make(q, mm, method, []*message.Node{r.argument(q, mm, 0, nil, v)}))
	}
	var cond *message.Node
	for _, word := range o.Keys() {
		c := ask(word, o.Get(word))
		if c == nil {
			if m.Truth == "" {
				refuse()
			}
			if c = ask("=", v); c == nil {
				refuse()
			}
			return c
		}
		cond = f.join(cond, "and", c)
	}
	if cond == nil {
		refuse()
	}
	return cond
}
