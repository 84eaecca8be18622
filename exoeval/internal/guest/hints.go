package guest

// What to write instead, from the phrases of the interfaces.

import (
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
)

// Say returns the phrase for a situation that the interface of n declares, or with nil any
// granted interface; without one, otherwise. See message.Phrase.
func (r *Guest) Say(n *message.Node, on, otherwise string, parts ...string) string {
	var i *message.Interface
	if n != nil {
		i = r.Check.Catalog[n.Type.Name]
	}
	return r.Check.Catalog.Say(i, on, otherwise, parts...)
}

// memberNoun is what a member of a described thing is called.
func (r *Guest) memberNoun() string { return r.Say(nil, "member", "member") }

// Describes says what a described thing does.
func (r *Guest) Describes() string { return r.Say(nil, "describes", "only describes") }

// and is a further sentence of an error, if there is one.
func and(s string) string { return prefixed("; ", s) }

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// wayOut is what to do instead of reading a member that is not there; "" if
// nothing is known.
func (x *Recorded) wayOut(name string) string {
	if row := x.only(); row != nil {
		x = &Recorded{r: x.r, Node: row} // its members are members of the whole
	}
	i := x.Iface()
	if i == nil || !i.Expr && i.Await == "" && len(i.Words) == 0 {
		return ""
	}
	if x.within(name) {
		if s := x.r.Say(x.Node, "within", "", "name", name); s != "" {
			return strings.TrimPrefix(x.keyNames(x.Node, "keys.are")+"; ", "; ") + s
		}
	}
	if i.Await != "" {
		return strings.ReplaceAll(x.ofUnsent(i, name), "….", x.chain()+".")
	}
	on := "." + name
	if _, err := strconv.Atoi(name); err == nil {
		on = ".0"
	}
	if name == "key" || name == "keys" || on == ".0" {
		if s := x.keyNames(x.Node, "keys.are"); s != "" {
			return s
		}
	}
	part := ""
	if x.Node.Op == message.OpField {
		part = x.Node.Name
	}
	s := x.r.Say(x.Node, on, "", "part", part, "it", x.r.Check.Name(x.Node))
	if s != "" && s == x.r.Say(x.Node, ".*", "") { // it is said of any name: one that is nearly right is told first
		if n := front.Nearest(i, name, nil); n != "" {
			return "did you mean `" + n + "`?"
		}
	}
	return s
}

// within reports whether a name is a field of the parts that a type argument has: of the rows of a group.
func (x *Recorded) within(name string) bool {
	for _, of := range x.Node.Type.Args {
		for _, f := range of.Fields {
			if i := x.r.Check.Catalog[f.Type.Name]; i != nil && !i.Expr && i.Fields[name] != nil {
				return true
			}
		}
	}
	return false
}

// ofUnsent is what to do instead of reading a member that something unsent doesn't have.
func (x *Recorded) ofUnsent(i *message.Interface, name string) string {
	if row, table := x.rowOf(); row != nil && row.Fields[name] != nil {
		on := "outside"
		if len(x.r.Frames) > 0 {
			on = "inside"
		}
		for _, on := range []string{on, "outside"} {
			if s := x.r.Say(x.Node, on, "", "name", name, "part", table); s != "" {
				return s
			}
		}
	}
	on := "." + name
	if _, err := strconv.Atoi(name); err == nil {
		on = ".0"
	}
	for _, on := range []string{"in" + on, on} {
		if s := x.r.Say(x.Node, on, "", "part", x.part(), "it", x.r.Check.Name(x.Node), "links", x.links()); s != "" && (on[0] == '.' || x.inside()) {
			return s + x.elsewhere(name)
		}
	}
	return front.PathTo(x.r.Check.Catalog, x.Node.Type.Name, x.r.Check.Name(x.Node), name)
}

// instead is what to write where an operator, the method, is not available for n.
func (r *Guest) instead(n *message.Node, method string) string {
	if i := r.Check.Catalog[n.Type.Name]; i != nil && i.Expr && (method == "&&" || method == "?:") && r.Say(n, "op:"+method, "") == "" {
		return "; compare it, like " + r.comparison(n)
	}
	if r.Check.Catalog[n.Type.Name] == nil {
		return ""
	}
	return and(r.Say(n, "op:"+method, "", "it", r.Check.Name(n)))
}

// unlinked is what to write instead of comparing a whole record with nothing: that a link leads to none, if a
// link brought the record into what the callback is for.
func (r *Guest) unlinked(n *message.Node) string {
	if n.Op != message.OpField || n.Recv.Op != message.OpParam || len(r.Frames) == 0 {
		return ""
	}
	for q := r.frame().on; q != nil && q.Op == message.OpCall; q = q.Recv {
		for _, l := range q.Args {
			if l.Op != message.OpLambda {
				continue
			}
			if to := l.Args[0]; to.Op == message.OpCall && to.Recv.Op == message.OpField && to.Type.Args["ns"] != nil && to.Type.Args["ns"].Field(n.Name) != nil {
				return r.Say(n, "absent", "", "it", to.Recv.Name, "link", r.Check.Name(to))
			}
		}
	}
	return ""
}

// comparison is a condition that a program may mean by a column alone.
func (r *Guest) comparison(n *message.Node) string {
	s := r.Check.Name(n) + " !== null"
	if of := n.Type.Args["of"]; of != nil {
		switch of.Name {
		case value.TypeInt, value.TypeFloat, value.TypeDecimal:
			s += " or !== 0"
		case value.TypeText:
			s += " or !== ''"
		}
	}
	return s
}

// better adds to the error of a call what to write instead.
func (r *Guest) better(err error, recv *message.Node, m *message.Method, args []*message.Node) error {
	e := AsError(err)
	if e.Msg == "" {
		return err
	}
	if s := r.given(recv, m, args); s != "" {
		e.Msg += "; " + s
		return err
	}
	i := r.Check.Catalog[recv.Type.Name]
	for k, a := range args {
		switch {
		case m.Params[k].Filter && a.Op == message.OpLambda && r.valueType(a.Args[0]) != "":
			e.Msg += "; compare it, like " + r.comparison(a.Args[0])
			return err
		case i != nil && i.Expr && m.Params[k].Count && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt && a.Lit.Int() < 0:
			e.Msg += r.Say(recv, "negative", "")
			return err
		case i != nil && i.Expr && r.valueType(recv) == value.TypeTime && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt:
			e.Msg += r.Say(recv, "time.number", "", "it", a.Lit.String())
			return err
		case m.Params[k].Want.Con != nil && m.Params[k].Null && m.Params[0].Count && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt:
			e.Msg += and(r.Say(recv, "options", ""))
			return err
		case i != nil && i.Expr && r.dayAndTime(recv, a):
			e.Msg += r.Say(recv, "day.time", "")
			return err
		}
	}
	return err
}

// dayAndTime reports whether one is a day and the other, or a part of it, a time.
func (r *Guest) dayAndTime(a, b *message.Node) bool {
	if b.Op == message.OpList {
		for _, x := range b.Args {
			if r.dayAndTime(a, x) {
				return true
			}
		}
		return false
	}
	x, y := r.valueType(a), r.valueType(b)
	return x == value.TypeDate && y == value.TypeTime || x == value.TypeTime && y == value.TypeDate
}

// valueType is the name of the type of a column's values, or "".
func (r *Guest) valueType(n *message.Node) string { return front.ValueType(r.Check.Catalog, n) }

// inside reports whether something unsent is of what a callback is given.
func (x *Recorded) inside() bool { return len(x.r.Frames) > 0 && !x.Node.Closed() }

// part is what the records of something unsent are called, or the first part that they have.
func (x *Recorded) part() string {
	if ns := x.Node.Type.Args["ns"]; ns != nil && len(ns.Fields) > 0 {
		return ns.Fields[0].Name
	}
	return ""
}

// keyNames lists the keys of a group for an error; "" where n is no group.
func (x *Recorded) keyNames(n *message.Node, on string) string {
	if n == nil || len(n.Type.Fields) == 0 {
		return ""
	}
	var names []string
	for _, f := range n.Type.Fields {
		names = append(names, x.r.Check.Name(n)+"."+f.Name)
	}
	return x.r.Say(n, on, "", "keys", strings.Join(names[:min(len(names), 12)], ", "))
}

// links names a link of something unsent; "" if it has none.
func (x *Recorded) links() string {
	link := x.r.Check.Link(x.Node.Type.Name)
	if link == "" {
		return ""
	}
	return x.r.Say(x.Node, "links", "", "it", x.r.Check.Name(x.Node), "link", link)
}

// rowOf is the interface of the records of something unsent that has one part, and the part's name.
func (x *Recorded) rowOf() (*message.Interface, string) {
	ns := x.Node.Type.Args["ns"]
	if ns == nil || len(ns.Fields) != 1 {
		return nil, ""
	}
	return x.r.Check.Catalog[ns.Fields[0].Type.Name], ns.Fields[0].Name
}

// FromGrants is pathTo from any of the granted objects.
func (r *Guest) FromGrants(name string) string {
	best := ""
	for _, g := range r.Granted {
		if s := front.PathTo(r.Check.Catalog, g.Type.Name, "api."+g.Name, name); s != "" && (best == "" || strings.Count(s, ".") < strings.Count(best, ".")) {
			best = s
		}
	}
	return best
}

// elsewhere names the granted thing of which a link of the same name leads to rows that have the member.
func (x *Recorded) elsewhere(name string) string {
	for _, g := range x.r.Granted {
		i := x.r.Check.Catalog[g.Type.Name]
		if x.Node.Op != message.OpCall || i == nil || i.Methods[x.Node.Name] == nil || !x.r.givesQuery(i.Methods[x.Node.Name]) {
			continue
		}
		if x.r.Check.Catalog[i.Methods[x.Node.Name].Result.Con.Name].Methods[name] != nil {
			return "; api." + g.Name + "." + x.Node.Name + "() has `" + name + "`"
		}
	}
	return ""
}
