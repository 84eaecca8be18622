package message

// This file makes the nodes of expressions, with one method for each kind. No other code makes nodes.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// Op is the kind of a node of an expression.
type Op uint8

const (
	_        Op = iota // no node has Op zero
	OpRef              // a granted object
	OpLit              // a literal value
	OpParam            // the placeholder: the node that a callback is given in place of a row
	OpField            // the field Name of Recv
	OpCall             // a call of the method Name of Recv, with Args
	OpLambda           // a callback: Recv is its OpParam, and Args[0] is its result
	OpRecord           // a record of Args, with the field names in Names
	OpList             // a list of Args
)

// Node is one checked step of an expression, such as a recorded call. Only a Checker can make a
// Node, so a Node that exists is well typed.
type Node struct {
	Op    Op
	Name  string   // the canonical name of a field or method
	Names []string // the field names of a record
	Recv  *Node
	Args  []*Node
	Lit   value.Value
	Ref   uint32 // for OpRef: the session's number of the object
	Arg   int    // for OpParam: the index of its callback among the parameters of the method Name of Recv
	Slot  int    // for OpLit and OpRef in a checked message: the index into Args or Refs; -1 for a static literal

	Type   *Type
	method *Method // for OpCall and OpParam: the method called
	free   []*Node // the placeholders of callbacks that have not returned yet, if the node depends on them
	dead   bool    // for OpParam: its callback has returned
	spent  bool    // for OpLambda: a call already has it as its argument
	sends  bool    // for OpCall: the call sends the message
	depth  int32
	size   int32 // how many nodes the expression has when written as a tree
	// written is this node's number in the shape of its message, from 1. It is 0 until the node is written.
	written int32
	label   value.Label // the joined label of everything that the node reads
}

// Closed reports whether the node depends on no callback's placeholder.
func (n *Node) Closed() bool { return len(n.free) == 0 }

// Method returns the catalogue's method that an OpCall calls.
func (n *Node) Method() *Method { return n.method }

// Observed describes the message whose root is n to an observer, by the names that its interface declares. n may be nil: then the message was
// malformed, and nothing that the program wrote is known to be such a name.
func (n *Node) Observed() observe.Activity {
	if n == nil || n.Recv == nil || n.method == nil {
		return observe.Activity{Kind: observe.Message}
	}
	return observe.Activity{Kind: observe.Message, Interface: n.Recv.Type.Name, Name: n.method.Name}
}

// Label returns the joined label of everything that the node reads.
func (n *Node) Label() value.Label { return n.label }

// Sends reports whether the node is a call that sends the message.
func (n *Node) Sends() bool { return n.sends }

// Bounds are the limits of one message.
type Bounds struct {
	Nodes        int // how many steps an expression may have when written as a tree
	Depth        int // how many levels of nesting an expression may have
	LiteralBytes int // how many bytes one literal value may have
}

// Receiver returns the granted object that a message is addressed to.
func (n *Node) Receiver() *Node {
	for n.Recv != nil {
		n = n.Recv
	}
	return n
}

// Checker makes nodes and refuses what the catalogue does not allow. The same code runs in the
// recorder, so that errors come at once and with a place, and in the gate, which trusts no
// recorder.
type Checker struct {
	Catalog Catalog
	Bounds  Bounds
	Ref     func(id uint32) *Type     // returns the type of a granted object, or nil if id names none
	Show    func(id uint32) string    // returns the program's name for that object, for error messages
	Literal func(v value.Value) error // an additional check of literals; may be nil
	Zone    *zone.Zone                // the zone for time texts without a zone, and for a time that becomes a day; nil: UTC

	live       int  // how many placeholders have callbacks that have not returned
	Calculates bool // set if a total method was called on a labelled value
}

func (c *Checker) seal(n *Node) (*Node, error) {
	n.Slot = -1
	size := int64(1)
	for i := -1; i < len(n.Args); i++ {
		d := n.Recv
		if i >= 0 {
			d = n.Args[i]
		} else if d == nil {
			continue
		}
		// A placeholder is meaningless once its callback has returned. Using it again would let one
		// query capture another's alias (testdata/attacks/001).
		for _, p := range d.free {
			if p.dead {
				return nil, fail.Errorf(fail.Invalid, c.show(d), "this value belongs to a callback that has already returned; use it only inside that callback")
			}
		}
		n.depth = max(n.depth, d.depth)
		size += int64(d.size)
		n.label = n.label.Join(d.label)
		if n.free == nil {
			n.free = d.free
		} else {
			for _, p := range d.free {
				if !slices.Contains(n.free, p) {
					n.free = append(slices.Clip(n.free), p)
				}
			}
		}
	}
	n.depth++
	// Every message to an object reveals that the object exists: by a reply, by an error, and by the lack of both.
	if i := c.Catalog[n.Type.Name]; i != nil && !i.Label.Empty() {
		n.label = n.label.Join(i.Label)
	}
	// The size counts the nodes of the tree. A graph that shares nodes can double its tree with each node, and its
	// interpreter would have to walk the whole tree.
	if l := c.Bounds.Nodes; size > int64(l) {
		return nil, fail.Errorf(fail.Limit, c.show(n), "the expression is too large: it has more than %d names, calls and values", l)
	}
	if l := c.Bounds.Depth; int(n.depth) > l {
		return nil, fail.Errorf(fail.Limit, c.show(n), "the expression is nested too deeply: more than %d levels", l)
	}
	n.size = int32(size)
	return n, nil
}

// MakeRef makes a reference to the session's object number id.
func (c *Checker) MakeRef(id uint32) (*Node, error) {
	var t *Type
	if c.Ref != nil {
		t = c.Ref(id)
	}
	if t == nil {
		return nil, fail.Errorf(fail.Denied, "", "no such object")
	}
	return c.seal(&Node{Op: OpRef, Ref: id, Type: t})
}

// MakeLit makes a literal. It refuses values that no host can represent, and the error names them.
func (c *Checker) MakeLit(v value.Value) (*Node, error) {
	// Check the size first, counting no further than the limit: a value that shares its parts can
	// double with each level.
	if l := c.Bounds.LiteralBytes; v.BytesUpTo(l, 0) > l {
		return nil, fail.Errorf(fail.Limit, "", "a value is too large to pass on; the limit is %d bytes", l)
	}
	t := literalType(v, 0)
	if t == nil {
		return nil, fail.Errorf(fail.Invalid, "", "this value can't be passed on: only finite numbers, text without NUL, true, false, null, dates, and lists and records of them")
	}
	if c.Literal != nil {
		if err := c.Literal(v); err != nil {
			return nil, err
		}
	}
	return c.seal(&Node{Op: OpLit, Lit: v, Type: t})
}

// MakeParam makes the placeholder for the callback that is argument arg of recv.method. prior are
// the earlier arguments, on which the type of the placeholder may depend.
func (c *Checker) MakeParam(recv *Node, method string, arg int, prior []*Node) (*Node, error) {
	m, err := c.method(recv, method)
	if err != nil {
		return nil, err
	}
	n, err := c.makeParam(recv, m, arg, prior)
	if e, ok := err.(*fail.Error); ok && e.Op == opLater {
		e.Op = c.Op(recv, m.Name)
	}
	return n, err
}

// opLater is a placeholder for the name of the call in an error. The name is made only if the call
// fails.
const opLater = "\x00op"

func (c *Checker) makeParam(recv *Node, m *Method, arg int, prior []*Node) (*Node, error) {
	const op = opLater
	if arg < 0 || arg >= len(m.Params) || len(prior) != arg || m.Params[arg].Lambda == nil {
		return nil, fail.Errorf(fail.Invalid, op, "takes no callback here: give it a value")
	}
	env, err := c.bind(op, recv, m, prior)
	if err != nil {
		return nil, err
	}
	// Convert literals as the call itself will, so that sameArgs can compare them.
	prior = slices.Clone(prior)
	for i, a := range prior {
		if a.Op != OpLit {
			continue
		}
		want, err := env.resolve(op, m.Params[i].Want)
		if err != nil {
			return nil, err
		}
		if prior[i], err = c.accept(op, &m.Params[i], want, a); err != nil {
			return nil, err
		}
	}
	t, err := env.resolve(op, m.Params[arg].Lambda)
	if err != nil {
		return nil, err
	}
	// Each node merges sets of placeholders pairwise, so the cost of a node grows with the number of placeholders: a
	// message with six hundred of them took forty seconds.
	if c.live >= maxLive {
		return nil, fail.Errorf(fail.Limit, op, "callbacks are nested too deeply: more than %d", maxLive)
	}
	n, err := c.seal(&Node{Op: OpParam, Recv: recv, Name: m.Name, method: m, Arg: arg, Args: prior, Type: t})
	if err != nil {
		return nil, err
	}
	c.live++
	// Clip forces append to copy: the placeholder must not share the array of its list with the receiver.
	n.free = append(slices.Clip(n.free), n)
	n.depth, n.label = 1, value.Label{} // the placeholder itself is a row of depth 1; the call that takes the callback has the label
	n.size = 1
	return n, nil
}

const maxLive = 64 // how many callbacks may be nested

// Kill ends the use of a placeholder when its callback has failed.
func (c *Checker) Kill(param *Node) {
	if !param.dead {
		param.dead = true
		c.live--
	}
}

// MakeLambda closes a callback that returned body. param, its placeholder, can't be used any more.
func (c *Checker) MakeLambda(param, body *Node) (*Node, error) {
	if param.Op != OpParam || param.dead {
		return nil, fail.Errorf(fail.Invalid, "", "the callback has already returned")
	}
	if body.Op == OpLambda {
		return nil, fail.Errorf(fail.Invalid, "", "the callback returned another callback: return a value instead")
	}
	body, err := c.shown(param, body)
	if err != nil {
		return nil, err
	}
	n, err := c.seal(&Node{Op: OpLambda, Recv: param, Args: []*Node{body}, Type: body.Type})
	c.Kill(param)
	if err != nil {
		return nil, err
	}
	n.free = slices.DeleteFunc(slices.Clone(n.free), func(p *Node) bool { return p == param })
	return n, nil
}

// MakeField reads a field: a table of a namespace, or a column of a row.
func (c *Checker) MakeField(recv *Node, name string) (*Node, error) {
	if recv.built() {
		return nil, fail.Errorf(fail.Invalid, c.show(recv), "has no members")
	}
	var t *Type
	var label value.Label
	if recv.Type.Name == value.TypeRecord {
		if t = recv.Type.Field(name); t == nil {
			t = c.Selected(recv, name)
		}
	} else if i := c.Catalog[recv.Type.Name]; i != nil {
		if m := i.Fields[name]; m != nil {
			t, label = m.Type, m.Label
		} else if t = recv.Type.Field(name); t == nil {
			if row := c.Row(recv); row != nil && row.Fields[name] != nil {
				t, label = nullable(row.Fields[name].Type), row.Fields[name].Label
			}
		}
	}
	if t == nil {
		return nil, c.missing(recv, name)
	}
	if i := c.Catalog[t.Name]; i != nil && i.Expr && !label.Empty() {
		t, label = labelled(t, label), value.Label{} // naming a labelled column does not read it, so the label moves to the type
	}
	if i := c.Catalog[recv.Type.Name]; i != nil && i.Expr { // a part of an expression, like the length of a text, has the label of that expression
		label = label.Join(c.Catalog.Shows(recv.Type))
	}
	n := &Node{Op: OpField, Name: name, Recv: recv, Type: t, label: label}
	return c.seal(n)
}

// MakeRecord makes a record of expressions. The names must be distinct.
func (c *Checker) MakeRecord(names []string, args []*Node) (*Node, error) {
	if len(names) != len(args) {
		return nil, fail.Errorf(fail.Invalid, "", "a record needs one value for each name")
	}
	t := &Type{Name: value.TypeRecord, Fields: make([]TypeField, len(names))}
	seen := make(map[string]bool, len(names))
	for i, n := range names {
		if err := checkName(n); err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, fail.Errorf(fail.Invalid, "", "the field %q is given twice: rename one", n)
		}
		if args[i].Op == OpLambda {
			return nil, fail.Errorf(fail.Invalid, "", "%q is a callback, which can't be in an object: write its result there", n)
		}
		seen[n] = true
		t.Fields[i] = TypeField{Name: n, Type: args[i].Type}
	}
	return c.seal(&Node{Op: OpRecord, Names: names, Args: args, Type: t})
}

// MakeList makes a list of expressions.
func (c *Checker) MakeList(args []*Node) (*Node, error) {
	t := &Type{Name: value.TypeList, Args: map[string]*Type{"of": {Name: value.TypeData}}}
	for _, a := range args {
		if a.Op == OpLambda {
			return nil, fail.Errorf(fail.Invalid, "", "a callback can't be in a list: write its result there")
		}
		t.Label = t.Label.Join(c.Catalog.Shows(a.Type))
	}
	return c.seal(&Node{Op: OpList, Args: args, Type: t})
}

// MakeCall calls a method. It copies args, and converts literals to the types that the method
// wants, so that the gate sees exactly typed arguments.
func (c *Checker) MakeCall(recv *Node, name string, args []*Node) (*Node, error) {
	m, err := c.method(recv, name)
	if err != nil {
		return nil, err
	}
	n, err := c.makeCall(recv, m, m.in(name), args)
	if e, ok := err.(*fail.Error); ok && e.Op == opLater {
		e.Op = c.Op(recv, m.Name)
		if m.Name != name && checkIdent("", "", name) != nil {
			e.Op = c.show(recv) + " " + name // the call is an operator, shown as the program wrote it
		}
	}
	return n, err
}

// in returns the name for the method in a message. An operator keeps its spelling. a < b and a.lt(b) are one
// method, which a policy removes as one, but the object may treat null differently in each.
func (m *Method) in(name string) string {
	if scalar.Simple(name) {
		return m.Name
	}
	return strings.Clone(name) // a copy, since name may be a part of a large received message, which it would keep in memory
}

func (c *Checker) makeCall(recv *Node, m *Method, name string, args []*Node) (*Node, error) {
	const op = opLater
	given := args
	args = slices.Clone(args)
	if len(args) > len(m.Params) {
		return nil, fail.Errorf(fail.Invalid, op, "takes %s; got %d", count(len(m.Params), "argument"), len(args))
	}
	for i, a := range args {
		p := &m.Params[i]
		if a.Op == OpLambda {
			// The callback must have been called for this parameter of this call: its placeholder's
			// type was computed from the call's receiver and arguments.
			if f := a.Recv; p.Lambda == nil || a.spent || f.Recv != recv || f.method != m || f.Arg != i {
				return nil, fail.Errorf(fail.Invalid, op, "the callback was made for another call: write it in this one")
			}
		} else if p.Lambda != nil && !p.Plain {
			return nil, fail.Errorf(fail.Invalid, op, "wants a callback, like %s", example(c, recv, m, i))
		}
	}
	env, err := c.bind(op, recv, m, args)
	if err != nil {
		return nil, err
	}
	var listed value.Label
	for i := range m.Params {
		p := &m.Params[i]
		if i >= len(args) {
			if !p.Opt {
				if p.Lambda != nil && !p.Plain {
					err := fail.Errorf(fail.Invalid, op, "needs %s: a callback, like %s", p.Name, example(c, recv, m, i))
					if way := c.Catalog.Say(c.Catalog[recv.Type.Name], "unconditional."+m.Name, "", "it", c.show(recv)); way != "" {
						err.Msg += "; " + way
					}
					return nil, err
				}
				return nil, fail.Errorf(fail.Invalid, op, "needs %s", p.Name)
			}
			continue
		}
		want, err := env.resolve(op, p.Want)
		if err != nil {
			return nil, err
		}
		if c.Catalog[recv.Type.Name].Expr && (!p.Fixed || args[i].Op == OpLit) {
			want = notNull(want)
		} else if value.IsScalar(want.Name) && args[i].Op != OpLit {
			// Only the operand of an operator may be an expression: limit(todo.id), for example, has no value before the query runs.
			err := c.mismatch(op, p, want, args[i])
			if i := c.Catalog[args[i].Type.Name]; i != nil && i.Expr {
				err.Msg += "; " + c.Catalog.Say(i, "argument", "only a value of the program can be used here")
			}
			return nil, err
		}
		if want.Name == value.TypeList && c.Catalog[recv.Type.Name].Expr && !p.Fixed {
			if l, ok := c.lists(want.Args["of"], args[i]); ok {
				listed = listed.Join(l) // a test for membership in a list reveals something about the values of the list
				continue
			}
		}
		if args[i], err = c.accept(op, p, want, args[i]); err != nil {
			return nil, err
		}
		if args[i].Op == OpLit {
			env.admitted(p, want, args[i].Lit)
		}
	}
	for i, a := range given {
		if a.Op == OpLambda && !sameArgs(a.Recv.Args, given[:i], args) {
			return nil, fail.Errorf(fail.Invalid, op, "the callback was made for another call: write it in this one")
		}
	}
	result, sends, label := m.Result, m.Sends, m.Label
	if c.nests(m, recv) {
		result, sends, label = m.Nested, false, label.Join(m.Reply)
	}
	t, err := env.resolve(op, result)
	if err != nil {
		return nil, err
	}
	if m.Total {
		l := c.totals(recv, args)
		t, c.Calculates = labelled(t, l), c.Calculates || !l.Secrecy().Empty()
	}
	n := &Node{Op: OpCall, Name: name, Recv: recv, Args: args, Type: t, method: m, label: label, sends: sends}
	n.label = n.label.Join(listed).Join(c.reads(recv, m, args))
	if t.Name == value.TypeRows {
		// The size of a list of rows is known only by reading all rows. So the call has the labels of all that the rows show.
		n.label = n.label.Join(c.Catalog.Shows(t.Args["of"]))
		n.Type = c.rowsOf(n)
	}
	if n, err = c.seal(n); err != nil {
		return nil, err
	}
	for _, a := range given {
		a.spent = a.Op == OpLambda // a callback serves only one call, since its placeholder is a row of that call's receiver
	}
	return n, nil
}

// sameArgs reports whether a placeholder was made for a call with these arguments: the same
// expressions, and literals that were converted to the same values.
func sameArgs(prior, given, accepted []*Node) bool {
	if len(prior) != len(given) {
		return false
	}
	for i, p := range prior {
		if p != given[i] && !(p.Op == OpLit && given[i].Op == OpLit && value.Equal(p.Lit, accepted[i].Lit)) {
			return false
		}
	}
	return true
}

func (c *Checker) method(recv *Node, name string) (*Method, error) {
	if recv.sends {
		return nil, fail.Errorf(fail.Invalid, c.show(recv), "%s", c.Catalog.Say(nil, "sent", "sends the call, so nothing can be added after it: await its result first"))
	}
	if recv.built() {
		return nil, fail.Errorf(fail.Invalid, c.show(recv), "has no members")
	}
	i := c.Catalog[recv.Type.Name]
	if i == nil {
		return nil, c.missing(recv, name)
	}
	m, of := c.Catalog.Method(recv.Type, name)
	if m == nil {
		if i.Fields[name] != nil {
			return nil, fail.Errorf(fail.Invalid, c.show(recv), "%s is a field, not a method: write it without ()", name)
		}
		return nil, c.missing(recv, name)
	}
	if len(of) > 1 {
		return nil, fail.Errorf(fail.Invalid, c.Op(recv, m.Name), "is a measure of %s and of %s: call it where only one of the two is used", of[0], of[1])
	}
	if m.onlyNested() && !c.nests(m, recv) {
		return nil, c.missing(recv, name)
	}
	return m, nil
}

// RowArg names a type argument of an object: the type of the rows that the object shows. Method.Row refers to it.
const RowArg = "row"

// ShownArg names a type argument of an object whose callbacks get the rows of another object. The argument is the type of what that other object shows.
const ShownArg = "shown"

// nests reports whether a call of m on recv gives an expression and sends nothing, as every call
// within a callback does. In a message, the nodes of a callback come between its placeholder and
// its end, so the gate decides the same.
func (c *Checker) nests(m *Method, recv *Node) bool {
	return m.Nested != nil && (!recv.Closed() || c.live > 0)
}

func (m *Method) onlyNested() bool { return m.Nested != nil && !m.Sends }

// Has reports whether a method of this name can be called on n where n is, inside or outside of a callback.
func (c *Checker) Has(n *Node, name string) bool {
	m, _ := c.Catalog.Method(n.Type, name)
	return m != nil && (!m.onlyNested() || c.nests(m, n))
}

// Row returns the interface of the row that n represents in a callback, or nil. n represents a row if it is a link to at most one
// row, from a row or from another such link. Programs read the row's fields from n, which are null if there is no row.
func (c *Checker) Row(n *Node) *Interface {
	if !c.one(n) {
		return nil
	}
	if i := c.Catalog[n.Type.Args[RowArg].Name]; i != nil && i.is(value.TypeRow) {
		return i
	}
	return nil
}

// Selected returns the type that the records of a query have under a name that select chose, such as a total. param is the
// placeholder of a callback that gets the parts by name. Selected is nil if there is no such name, or its type is no expression.
func (c *Checker) Selected(param *Node, name string) *Type {
	if param.Op != OpParam || param.Recv == nil {
		return nil
	}
	row := param.Recv.Type.Args[RowArg]
	if row == nil {
		row = param.Recv.Type.Args[ShownArg]
	}
	if row == nil || row.Name != value.TypeRecord {
		return nil
	}
	t := row.Field(name)
	if t == nil || c.Catalog[t.Name] == nil || !c.Catalog[t.Name].Expr {
		return nil
	}
	return t
}

// one reports whether n, in a callback, represents at most one row.
func (c *Checker) one(n *Node) bool {
	if n.Op != OpCall || n.Closed() || n.Type.Args[RowArg] == nil {
		return false
	}
	m := n.method
	switch of := c.Catalog[n.Recv.Type.Name]; {
	case m.Truth != "" && m.Sends: // the method returns the first of many rows
		return true
	case m.Truth != "": // the method is a link
		return of != nil && (of.is(value.TypeRow) || c.one(n.Recv))
	case m.Result != nil && m.Result.Var == "self", len(m.Params) > 0 && m.Params[0].selects():
		return c.one(n.Recv) // the method narrows its receiver, or selects what is shown
	}
	return false
}

// nullable returns t as the type of an expression that may be null.
func nullable(t *Type) *Type {
	of := t.Args["of"]
	if of == nil || of.Null {
		return t
	}
	some, n := *t, *of
	n.Null = true
	some.Args = maps.Clone(t.Args)
	some.Args["of"] = &n
	return &some
}

// built reports whether n is a callback or a record, which the program makes itself. Such a node
// has the type of its content, but is no object.
func (n *Node) built() bool {
	return n.Op == OpLambda || n.Op == OpRecord || n.Op == OpList || n.Op == OpLit
}

// recordNames returns the first field names of a record, since a program may have made thousands.
func recordNames(t *Type) []string {
	return scalar.Each(t.Fields[:min(len(t.Fields), 64)], func(f TypeField) string { return strings.Clone(f.Name) })
}

// missing returns the same error for a hidden member and for one that does not exist: a difference
// would let a guest probe for names. Its text is made only when it is read, since the search for
// the nearest of many names is slow. The error keeps the catalogue and a bounded number of names,
// but nothing of the message, since refused calls are kept until their run ends.
func (c *Checker) missing(recv *Node, name string) *fail.Error {
	what, name, i := c.show(recv), scalar.Clip(name, maxShown), c.Catalog[recv.Type.Name]
	fields, measures := recordNames(recv.Type), c.Catalog.Measures(recv.Type)
	row := c.Row(recv)
	if row != nil {
		fields = slices.Clone(row.Names())
	}
	return fail.Later(fail.Denied, func() string {
		names := fields
		if i != nil {
			names = append(slices.Clip(names), i.Names()...)
		}
		names = append(slices.Clip(names), measures...)
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name }) // don't suggest the unknown name itself, which may be a member in another place
		if n := i.nearest(name, names); n != "" {
			return fmt.Sprintf("%s has no member `%s`; did you mean `%s`?", what, name, n)
		}
		if i != nil && i.Expr {
			names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return checkIdent("", "", n) != nil })
		}
		if row != nil && len(fields) > 0 {
			names = fields // for a row the list has only its fields, not the methods that a query of it has
		}
		if len(names) > 0 {
			return fmt.Sprintf("%s has no member `%s`; it has %s", what, name, join(names[:min(len(names), 24)]))
		}
		return fmt.Sprintf("%s has no member `%s`", what, name)
	})
}

// maxShown is how many bytes of an unknown name an error shows.
const maxShown = 60

// nearest returns the listed name that the program most likely meant. If no listed name is near, it returns the nearest method that is not listed.
func (i *Interface) nearest(name string, listed []string) string {
	n := scalar.Nearest(name, listed)
	if n == "" && i != nil {
		n = scalar.Nearest(name, slices.DeleteFunc(slices.Sorted(maps.Keys(i.Methods)), func(n string) bool { return n == name }))
	}
	return n
}
