package guest

// This file checks arguments and results of calls that change something.

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Methods that change something act at once, and return plain data: a number, or the added record. Authors know libraries where a change
// continues after the call (`update({…}).where(…)`), begins with a record (`row.update({…})`), or is an assignment to a record. Each of these
// forms works as its author meant, or is an error that names the right form. No form does only a part, or silently nothing.

// changesGiven reports whether the argument of m is the new values of the described rows.
func changesGiven(m *message.Method) bool {
	return m.Sends && m.Effect != message.NoEffect && len(m.Params) == 1 && m.Params[0].Plain && m.Params[0].Want.Con != nil && m.Params[0].Want.Con.Name == value.TypeRecord
}

// takes returns the type of the records that m takes as an argument, or nil.
func takes(m *message.Method) *message.Type {
	if !m.Sends || m.Effect == message.NoEffect || len(m.Params) != 1 || m.Params[0].Want.Con == nil {
		return nil
	}
	t := m.Params[0].Want.Con
	if t.Name == value.TypeList {
		t = t.Args["of"]
	}
	if t == nil || t.Name != value.TypeRecord {
		return nil
	}
	return t
}

// changed calls a changing method with arguments in another library's form: a list for one record, or an object of options. It returns nil if
// the arguments have the method's own form.
func (r *Guest) changed(recv *message.Node, m *message.Method, args []goja.Value) goja.Value {
	t := takes(m)
	if t == nil {
		return nil
	}
	op := r.Check.Name(recv) + "." + m.Name
	i := r.Check.Catalog[recv.Type.Name]
	if len(args) != 1 {
		if s := r.Say(recv, "."+m.Name, ""); s != "" {
			panic(r.Throw(fail.Errorf(fail.Invalid, op, "takes one argument; got %d; %s", len(args), s)))
		}
		return nil
	}
	v := r.PlainValue(args[0])
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if realm.IsArray(v) {
		if of := r.Say(recv, "as."+m.Name+"[]", ""); of != "" && i.Methods[of] != nil {
			return r.call(recv, i.Methods[of], of, args)
		}
		return nil
	}
	options := strings.Fields(r.Say(recv, "as."+m.Name+"{}", ""))
	if o.ClassName() != "Object" || realm.IsCallable(v) {
		return nil
	}
	keys := o.Keys()
	if len(options) == 0 || !slices.Contains(keys, options[len(options)-1]) || t.Field(options[len(options)-1]) != nil {
		for _, k := range keys { // the author may have written { column: t => … }
			if s := r.Say(recv, "given", ""); s != "" && m.Params[0].Lambda != nil && realm.IsCallable(r.PlainValue(o.Get(k))) {
				panic(r.Throw(fail.Errorf(fail.Invalid, op, "`%s` is a function; %s", scalar.Shorten(k, 60), s)))
			}
		}
		return nil
	}
	values := options[len(options)-1]
	for _, k := range keys {
		if !slices.Contains(options, k) {
			panic(r.Throw(fail.Errorf(fail.Invalid, op, "has no option `%s` together with `%s`%s", scalar.Shorten(k, 60), values, hint.And(r.Say(recv, "."+m.Name, "")))))
		}
	}
	for _, k := range options[:len(options)-1] {
		if slices.Contains(keys, k) && i.Methods[k] != nil {
			recv = r.RecordedIn(r.call(recv, i.Methods[k], k, []goja.Value{o.Get(k)})).Node
		}
	}
	return r.call(recv, m, m.Name, []goja.Value{o.Get(values)})
}

// defined refuses undefined as an argument of a changing method. The author of `where(c).delete(x)` means one row, x. Without the check an
// undefined x would delete all rows of c.
func (r *Guest) defined(recv *message.Node, m *message.Method, args []goja.Value) {
	if m != nil && m.Sends && m.Effect != message.NoEffect && slices.ContainsFunc(args, goja.IsUndefined) {
		panic(r.Throw(fail.Errorf(fail.Invalid, r.Check.Op(recv, m.Name), "is given undefined, and so changes nothing: leave the argument out, or find out why it has no value")))
	}
}

// given returns what to write instead of a record that a method does not take, or "". The record's names may be words of other libraries.
func (r *Guest) given(recv *message.Node, m *message.Method, args []*message.Node) string {
	t := takes(m)
	if t == nil || len(args) != 1 || args[0].Op != message.OpLit || args[0].Lit.Type() != value.TypeRecord {
		return ""
	}
	for name, v := range args[0].Lit.Fields() {
		if f := t.Field(name); f == nil {
			if s := r.Say(recv, "given."+name, ""); s != "" {
				return s
			}
		} else if v.Type() == value.TypeRecord && f.Name != value.TypeRecord {
			if s := r.Say(recv, "given", ""); s != "" {
				return s
			}
		}
	}
	return ""
}

// afterChange ends the run if the program adds a step after a change. The change was sent without that step and may have changed too much, so
// the program must not continue.
func (r *Guest) afterChange(recv *message.Node, m *message.Method, name string) {
	if s := r.Say(recv, "changed."+name, "", "method", m.Name); s != "" {
		line, col := r.here()
		err := r.Placed(fail.Errorf(fail.Invalid, m.Name, "%s", s), line, col)
		r.stop(err)
		panic(r.ErrorObject(err, line, col))
	}
}

// fixedBy returns the fields that a change of the rows of n could set, or nil. A program can't assign these fields in a record that it read,
// because only its copy would change.
func (r *Guest) fixedBy(n *message.Node) map[string]bool {
	i := r.Check.Catalog[n.Type.Name]
	if i == nil {
		return nil
	}
	if fixed, ok := r.fixed[i]; ok {
		return fixed
	}
	var fixed map[string]bool
	for _, m := range i.Methods {
		if changesGiven(m) {
			fixed = map[string]bool{}
			for _, f := range m.Params[0].Want.Con.Fields {
				fixed[f.Name] = true
			}
		}
	}
	if r.fixed == nil {
		r.fixed = map[*message.Interface]map[string]bool{}
	}
	r.fixed[i] = fixed
	return fixed
}

// IsFixed returns the error for an assignment to a field of a record that was read.
func (r *Guest) IsFixed(name string) error {
	return fail.Errorf(fail.Invalid, "", "%s", r.Say(nil, "fixed", "`{name}` of a record that was read can't be assigned: only the program's copy would change", "name", scalar.Shorten(name, 60)))
}

// Answer turns a reply into a value of the program. The program can't assign a record's field if the author could mean a change of the stored
// row.
func (r *Guest) Answer(v value.Value, of *message.Type, fixed map[string]bool) goja.Value {
	r.exactly(v, of)
	switch {
	case fixed == nil:
	case v.Type() == value.TypeRows:
		rows := r.newRows(v, r.elementType(of))
		r.RowsIn(rows).fixed = fixed
		return rows
	case v.Type() == value.TypeRecord:
		o := r.Record(v, true)
		for n, x := range v.Fields() {
			if x.Type() == value.TypeRows { // a page has its rows in a member
				r.Put(o, n, r.Answer(x, r.fieldType(of, n), fixed))
				continue
			}
			r.fix(o, n, r.toJS(x, r.fieldType(of, n)), fixed[n])
		}
		return o
	case v.Type() == value.TypeInt:
		r.guardCounts()
	}
	return r.toJS(v, of)
}

// fix defines a property. The program can assign it unless fixed is true.
func (r *Guest) fix(o *goja.Object, name string, v goja.Value, fixed bool) {
	writable := goja.FLAG_TRUE
	if fixed {
		writable = goja.FLAG_FALSE
	}
	_ = o.DefineDataProperty(name, v, writable, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// countMembers are the members where other libraries have the number of changed rows.
var countMembers = []string{"count", "affectedRows", "affected", "rowCount", "changes", "modifiedCount", "matchedCount", "deletedCount", "insertedCount", "length", "0", "numUpdatedRows", "numDeletedRows", "insertId", "rows", "id", "data"}

// guardCounts makes the countMembers an error on every number. A changing call returns a number, and its member would be undefined: the
// program would think that nothing changed. guardCounts runs after the first such call.
func (r *Guest) guardCounts() {
	if r.counted {
		return
	}
	r.counted = true
	proto, ok := r.Intrinsic("Number").Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	get := r.Function("get", func(goja.FunctionCall) goja.Value {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s", r.Say(nil, "changes", "the call gives the number of changes, and a number has no members"))))
	})
	for _, name := range countMembers {
		_ = proto.DefineAccessorProperty(name, get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	_ = proto.DefineAccessorPropertySymbol(goja.SymIterator, get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// Fixes reports whether some record has a fixed field of this name.
func (r *Guest) Fixes(name string) bool {
	for _, fixed := range r.fixed {
		if fixed[name] {
			return true
		}
	}
	return false
}
