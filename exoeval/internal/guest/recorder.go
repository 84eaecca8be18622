package guest

// This file has the values that a program sees for a granted object and for recorded expressions.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Recorded is an expression as the program sees it: an object with the members of the node's type. Using a member only makes a longer
// expression. Each step is checked when it is made, so an error has the position of that call.
type Recorded struct {
	r    *Guest
	Node *message.Node
	row  *message.Node // the node that the method (*Recorded).only returns; nil before its first call

	stack []goja.StackFrame // the call that made it, outside callbacks; the error has this place if the program never sends it
}

func (r *Guest) record(n *message.Node) *Opaque {
	x := &Recorded{r: r, Node: n}
	return &Opaque{Object: r.opaqueObject(x), X: x}
}

// opaqueObject makes the object that an opaque value embeds.
func (r *Guest) opaqueObject(x goja.DynamicObject) *goja.Object {
	if r.recordedProto == nil {
		r.recordedProto = r.protoOfRecorded()
	}
	o := r.VM.NewDynamicObject(x)
	if err := o.SetPrototype(r.recordedProto); err != nil {
		panic(err)
	}
	return o
}

func (r *Guest) GrantedObject(id uint32) goja.Value {
	if o := r.grants[id]; o != nil {
		return o
	}
	n, err := r.Check.MakeRef(id)
	if err != nil {
		panic(r.Throw(err))
	}
	var v goja.Value = r.record(n)
	if i := r.Check.Catalog[n.Type.Name]; i != nil && i.Call != "" {
		v = r.callable(n, i)
	}
	Put(&r.grants, id, v)
	return v
}

// callable returns a granted object that is only a function, because programs call the object itself.
func (r *Guest) callable(n *message.Node, i *message.Interface) *goja.Object {
	return r.Function(i.Call, func(c goja.FunctionCall) goja.Value {
		args := c.Arguments
		if i.Name == exo.ComposeInterface {
			args = r.taggedParts(args)
		}
		return r.call(n, i.Methods[i.Call], i.Call, args)
	})
}

// RecordedIn returns the recorded thing of a JavaScript value, or nil.
func (r *Guest) RecordedIn(v goja.Value) *Recorded {
	o, ok := v.(*Opaque)
	if !ok || o.X == nil || o.X.r != r {
		return nil
	}
	return o.X
}

// Iface returns the interface of the expression. It returns nil for a namespace.
func (x *Recorded) Iface() *message.Interface { return x.r.Check.Catalog[x.Node.Type.Name] }

// only returns the table of a namespace with one table, else nil. So `t => t.title` means `({ todo }) => todo.title`.
func (x *Recorded) only() *message.Node {
	t := x.Node.Type
	if x.Node.Op != message.OpParam || t.Name != value.TypeRecord || len(t.Fields) != 1 {
		return nil
	}
	if x.row == nil {
		n, err := x.r.Check.MakeField(x.Node, t.Fields[0].Name)
		if err != nil {
			panic(x.r.Throw(err)) // the callback with this placeholder has returned
		}
		x.row = n
	}
	return x.row
}

func (x *Recorded) has(name string) bool {
	if i := x.Iface(); i != nil && i.Fields[name] != nil || x.r.Check.Has(x.Node, name) {
		return true
	}
	row := x.r.Check.Row(x.Node)
	return x.Node.Type.Field(name) != nil || row != nil && row.Fields[name] != nil
}

// Get implements goja.DynamicObject. It returns a member, or throws an error that names a similar one.
func (x *Recorded) Get(name string) goja.Value {
	if _, sealed := x.Sealed(); sealed {
		if realm.Quiet(name) && name != "toString" && name != "valueOf" && name != "toJSON" {
			return nil
		}
		panic(x.r.Throw(x.Shut()))
	}
	if v := x.member(name); v != nil {
		return v
	}
	if row := x.only(); row != nil {
		if v := (&Recorded{r: x.r, Node: row}).member(name); v != nil {
			return v
		}
	}
	if x.r.Check.Selected(x.Node, name) != nil {
		n, err := x.r.Check.MakeField(x.Node, name)
		if err != nil {
			panic(x.r.Throw(err)) // the callback with this placeholder has returned
		}
		return x.r.record(n)
	}
	if v := x.key(name); v != nil {
		return v
	}
	if row := x.only(); row != nil {
		if v := (&Recorded{r: x.r, Node: row}).synonymous(name); v != nil {
			return v
		}
	} else if v := x.synonymous(name); v != nil {
		return v
	}
	return x.absent(name)
}

// member returns an existing member, or nil.
func (x *Recorded) member(name string) goja.Value {
	r := x.r
	if !x.has(name) {
		return nil
	}
	if m, _ := r.Check.Catalog.Method(x.Node.Type, name); m != nil {
		return r.method(x.Node, m, name)
	}
	n, err := r.Check.MakeField(x.Node, name)
	if err != nil {
		panic(r.Throw(err))
	}
	r.frame().read(n)
	return r.record(n)
}

// absent handles a member that does not exist. JavaScript itself reads some names, during operations that are not possible with a recorded
// thing.
func (x *Recorded) absent(name string) goja.Value {
	r := x.r
	switch name {
	case "toString", "valueOf", "toLocaleString":
		return r.Function(name, func(goja.FunctionCall) goja.Value {
			if err := x.keyCalled(); err != nil { // the engine reads the text of a called thing that is no function
				panic(r.Throw(err))
			}
			e := x.Novalue()
			if n := x.Node; n.Op == message.OpRef && name == "toString" { // here, too, the program may have called the thing
				if s := r.Say(n, "called", "", "it", "api."+r.Check.Name(n), "link", r.Check.Link(n.Type.Name)); s != "" {
					e = fail.Errorf(fail.Invalid, "", "%s", s)
				}
			}
			panic(r.Throw(e))
		})
	case "toJSON":
		return r.Function(name, func(goja.FunctionCall) goja.Value { panic(r.Throw(x.notRun())) })
	}
	if realm.Quiet(name) {
		return nil // the member is undefined; a call of it is an error that names it
	}
	if out := x.wayOut(name); out != "" {
		what := x.Node
		if row := x.only(); row != nil {
			what = row
		}
		panic(r.Throw(NoMember(r.Check.Name(what), name, out)))
	}
	if i := x.Iface(); i != nil && i.Await != "" && hint.ArrayMember(name) {
		if s := r.Say(x.Node, "early.in", "", "it", r.Check.Name(x.Node), "name", name, "part", x.r.Part(x.Node)); s != "" && x.inside() {
			panic(r.Throw(fail.Errorf(fail.Denied, "", "%s", s)))
		}
		panic(r.Throw(fail.Errorf(fail.Denied, "", "%s", r.Say(x.Node, "early", "`{name}` is for arrays, and the call before it has not been sent yet: use (await {chain}.{await}()).{name}", "name", name, "chain", x.chain(), "await", i.Await))))
	}
	if x.Node.Type.Name == value.TypeRecord {
		names := scalar.Each(x.Node.Type.Fields, func(f message.TypeField) string { return f.Name })
		known := names
		if row := x.only(); row != nil {
			for _, f := range row.Type.Fields { // a group has its keys as fields
				known = append(known, f.Name)
			}
			known = slices.Concat(known, r.Check.Catalog[row.Type.Name].Names(), r.Check.Catalog.Measures(row.Type))
		} else {
			// Name the part that has the member. For ({ tasks }), the part task is more likely meant.
			near := scalar.Nearest(name, names) != ""
			for _, f := range x.Node.Type.Fields {
				i := r.Check.Catalog[f.Type.Name]
				if i != nil && i.Methods[name] != nil && !near {
					if r.GivesQuery(i.Methods[name]) {
						panic(r.Throw(fail.Errorf(fail.Denied, "", "%s", r.LinkedTable(f.Name, i.Methods[name], names))))
					}
					panic(r.Throw(fail.Errorf(fail.Denied, "", "%s", r.whichMember(f.Name, name+"()"))))
				}
				if i != nil && i.Fields[name] != nil {
					panic(r.Throw(fail.Errorf(fail.Denied, "", "%s", r.whichMember(f.Name, name))))
				}
			}
		}
		what, row := r.Say(nil, "all", "this"), x.only()
		var i *message.Interface
		if row != nil {
			what, i = r.Check.Name(row), r.Check.Catalog[row.Type.Name]
		}
		if n := front.Nearest(i, name, known); n != "" {
			panic(r.Throw(NoMember(what, name, "did you mean `"+n+"`?")))
		}
		if s := x.r.KeyNames(row, "keys.only"); s != "" {
			panic(r.Throw(NoMember(what, name, s)))
		}
		more := r.Say(nil, "elsewhere", "")
		if row != nil {
			more = r.Say(row, "parts", more)
		}
		panic(r.Throw(NoMember(what, name, "it has `"+strings.Join(known[:min(len(known), 24)], "`, `")+"`"+hint.And(more))))
	}
	if what := r.Check.Name(x.Node); x.Node.Op == message.OpField && x.Node.Name == name { // with one key named month, the author may write g.key.month for g.key
		panic(r.Throw(NoMember(what, name, "it is the value itself: write "+what)))
	}
	_, err := r.Check.MakeField(x.Node, name)
	if err == nil {
		err = fail.Errorf(fail.Denied, "", "the object has no such member")
	}
	panic(r.Throw(err))
}

func (r *Guest) whichMember(part, name string) string {
	return r.Say(nil, "which.member", "write {part}.{name}: ({ {part} }) => {part}.{name}", "part", part, "name", name)
}

// Novalue returns the error for using a recorded thing as a value: as a truth value, a number or a text, or in a comparison. This error also
// occurs where operators are not recorded.
func (x *Recorded) Novalue() error {
	if _, sealed := x.Sealed(); sealed {
		return x.Shut()
	}
	if i := x.Iface(); i != nil && i.Expr {
		name := x.r.Check.Name(x.Node)
		if recv := x.Node.Recv; x.Node.Op == message.OpCall && len(x.r.Frames) == 0 && x.r.Check.Catalog[recv.Type.Name] != nil && x.r.Check.Catalog[recv.Type.Name].Await != "" {
			if s := x.r.Say(recv, "asked", "", "of", x.receiver()); s != "" {
				return fail.Errorf(fail.Invalid, name, "%s", s)
			}
		}
		if x.Node.Op == message.OpCall && x.r.ValueType(x.Node) == value.TypeBool {
			return fail.Errorf(fail.Invalid, "", "%s", x.r.Say(x.Node, "condition", "{it} is a condition and has no value in the program; join conditions with && and || in the callback itself", "it", name))
		}
		of := x.Node // a calculated value is named after its operand
		for of.Op == message.OpCall && of.Recv != nil {
			of = of.Recv
		}
		return fail.Errorf(fail.Invalid, "", "%s", x.r.Say(x.Node, "value", "{it} has no value in the program; write the condition in the callback itself, like t => t.{name} === value", "it", name, "name", of.Name))
	}
	if x.isRow() {
		return fail.Errorf(fail.Invalid, "", "%s", x.r.Say(nil, "record", "{it} is always there and can't be compared; compare one of its members", "it", x.r.Check.Name(x.Node)))
	}
	return x.notRun()
}

// chain returns the program's own text for a thing that was described outside callbacks, as a form that an error can show. It is … if the text
// is too long.
func (x *Recorded) chain() string {
	if x.Node.Op == message.OpRef {
		return x.r.Check.Name(x.Node)
	}
	line, col := FrameOf(x.stack)
	return cmp.Or(x.r.Prog.Call(line, col), "…")
}

// receiver returns the program's text for the receiver of the last call.
func (x *Recorded) receiver() string { return receiver(x.chain(), x.Node.Name) }

// receiver returns a call's text up to the call of the method with this name, or "…" if the text calls that name twice.
func receiver(call, name string) string {
	if on, args, ok := strings.Cut(call, "."+name+"("); ok && on != "" && !strings.Contains(args, "."+name+"(") {
		return on
	}
	return "…"
}

func (x *Recorded) notRun() *fail.Error {
	if _, sealed := x.Sealed(); sealed {
		return x.Shut()
	}
	if i := x.Iface(); i != nil && i.Await != "" {
		if s := x.r.Say(x.Node, "unsent.in", "", "it", x.r.Check.Name(x.Node), "part", x.r.Part(x.Node)); s != "" && x.inside() {
			return fail.Errorf(fail.Invalid, "", "%s", s)
		}
		return fail.Errorf(fail.Invalid, "", "%s", x.r.Say(x.Node, "unsent", "{it} has not been sent yet: use await {chain}.{await}()", "it", x.r.Check.Name(x.Node), "chain", x.chain(), "await", i.Await))
	}
	return fail.Errorf(fail.Invalid, "", "%s is an object, not data: call one of its methods and use the result", x.r.Check.Name(x.Node))
}

// Set implements goja.DynamicObject. It throws or refuses, because nothing can be set.
func (x *Recorded) Set(name string, _ goja.Value) bool {
	if _, sealed := x.Sealed(); sealed {
		panic(x.r.Throw(x.Shut()))
	}
	if f := x.r.frame(); f.of != nil && changesGiven(f.of) {
		if s := x.r.Say(f.on, "assigned", "", "name", scalar.Shorten(name, 60), "method", f.of.Name); s != "" {
			panic(x.r.Throw(fail.Errorf(fail.Invalid, "", "%s", s)))
		}
	}
	panic(x.r.Throw(fail.Errorf(fail.Invalid, "", "`%s` can't be assigned here; to compare use ===", scalar.Shorten(name, 60))))
}

// Delete implements goja.DynamicObject. It returns false, since nothing can be deleted.
func (x *Recorded) Delete(string) bool { return false }

// Has implements goja.DynamicObject.
func (x *Recorded) Has(name string) bool {
	if x.has(name) {
		return true
	}
	row := x.only()
	return row != nil && (&Recorded{r: x.r, Node: row}).has(name)
}

// Keys implements goja.DynamicObject. It lists the fields of a record or the names of a namespace, so that { ...todo } has all fields. It does
// not list methods.
func (x *Recorded) Keys() []string {
	i := x.Iface()
	if row := x.only(); i == nil && row != nil {
		return (&Recorded{r: x.r, Node: row}).Keys() // { ...t } copies the only row, like { ...todo }
	}
	ns := scalar.Each(x.Node.Type.Fields, func(f message.TypeField) string { return f.Name })
	if i != nil {
		for _, n := range i.Names() {
			if i.Fields[n] != nil {
				ns = append(ns, n)
			}
		}
	}
	return ns
}
