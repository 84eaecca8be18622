package message

// This file writes expressions and types for error messages, and describes what is wrong with an argument.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func join(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// Name writes an expression as the program would, shortened, for error messages.
func (c *Checker) Name(n *Node) string { return c.show(n) }

// Op names a call of a method of recv, as the program wrote it.
func (c *Checker) Op(recv *Node, method string) string {
	if recv != nil && recv.Type != nil && c.Catalog[recv.Type.Name] != nil && c.Catalog[recv.Type.Name].Call == method {
		return c.show(recv)
	}
	return c.show(recv) + "." + method
}

// show writes an expression as the program would, shortened, for error messages.
func (c *Checker) show(n *Node) string { return c.showDepth(n, 0) }

func (c *Checker) showDepth(n *Node, depth int) string {
	if n == nil {
		return ""
	}
	if depth > 3 {
		return "…"
	}
	switch n.Op {
	case OpRef:
		if c.Show != nil {
			return c.Show(n.Ref)
		}
	case OpField:
		if n.Recv.Op == OpParam {
			return n.Name
		}
		if n.Recv.Op == OpField {
			return n.Recv.Name + "." + n.Name
		}
		return c.showDepth(n.Recv, depth+1) + "." + n.Name
	case OpCall:
		if i := c.Catalog[n.Recv.Type.Name]; i != nil && i.Keys == n.Name && len(n.Args) == 1 && n.Args[0].Lit.Type() == value.TypeText {
			return c.showDepth(n.Recv, depth+1) + "." + scalar.Clip(n.Args[0].Lit.Text(), 40)
		}
		name := "." + n.method.Name
		if i := c.Catalog[n.Recv.Type.Name]; i != nil && i.Call == n.method.Name { // the program calls the object itself, without naming the method
			name = ""
		}
		return c.showDepth(n.Recv, depth+1) + name + "(" + strings.Repeat("…", min(1, len(n.Args))) + ")"
	case OpLit:
		return scalar.Clip(n.Lit.String(), 40)
	case OpParam:
		return "({ " + fieldNames(n.Type) + " })"
	case OpLambda:
		return "a callback"
	case OpRecord:
		return "an object"
	case OpList:
		return "a list"
	}
	return "this"
}

// fieldNames lists the first fields of a record, since a query can have thousands of tables.
func fieldNames(t *Type) string {
	const most = 12
	var names []string
	for i, f := range t.Fields {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Example returns a callback of the form that argument arg of the method wants, for error messages.
func (c *Checker) Example(recv *Node, m *Method, arg int) string { return example(c, recv, m, arg) }

func example(c *Checker, recv *Node, m *Method, arg int) string {
	name, names, link := "x", "x", ""
	if e, err := c.bind("", recv, m, nil); err == nil {
		if t, err := e.resolve("", m.Params[arg].Lambda); err == nil && len(t.Fields) > 0 {
			name, names, link = t.Fields[0].Name, fieldNames(t), c.Link(t.Fields[0].Type.Name)
		}
	}
	s := fmt.Sprintf("({ %s }) => …", names)
	if w := m.Params[arg].Want; w != nil && w.Con != nil && (w.Con.Name == value.TypeSelection || w.Con.Name == value.TypeKeys) {
		return c.Catalog.Say(nil, "example", "({ {names} }) => ({ name: {name}.… })", "name", name, "names", names)
	} else if w != nil && w.Con != nil && link != "" && c.Catalog[w.Con.Name] != nil && c.Catalog[w.Con.Name].Await != "" {
		return fmt.Sprintf("({ %s }) => %s.%s()", names, name, link)
	}
	if w := m.Params[arg].Want; w != nil && w.Con != nil && c.Catalog[w.Con.Name] != nil && c.Catalog[w.Con.Name].Doc != "" {
		s += ", that gives " + c.Catalog[w.Con.Name].Doc
	}
	return s
}

// Link returns the first method of the named interface that has no parameters and gives something
// that can be sent. It returns "" if there is none.
func (c *Checker) Link(name string) string {
	i := c.Catalog[name]
	if i == nil {
		return ""
	}
	for _, n := range i.Names() {
		if m := i.Methods[n]; m != nil && !m.Sends && len(m.Params) == 0 && m.Result != nil && m.Result.Con != nil && c.Catalog[m.Result.Con.Name] != nil && c.Catalog[m.Result.Con.Name].Await != "" {
			return n
		}
	}
	return ""
}

func (c *Checker) mismatch(op string, p *Param, want *Type, n *Node) *fail.Error {
	got := c.describe(n)
	if want.Name == value.TypeSelection {
		sample := c.Catalog.Say(nil, "sample", "{ name: … }")
		if n.Op == OpField {
			sample = "{ " + n.Name + ": " + c.show(n) + " }"
		}
		if f := c.unselectable(n); f != "" {
			return fail.Errorf(fail.Invalid, op, "%s", f)
		}
		return fail.Errorf(fail.Invalid, op, "%s", c.Catalog.Say(nil, "selection", "{param} must be an object like {sample}; got {got}", "param", p.Name, "sample", sample, "got", got))
	}
	if n.Op == OpRecord && want.Name == value.TypeRecord {
		for i, name := range n.Names {
			of := want.Field(name)
			if of == nil {
				return fail.Errorf(fail.Invalid, op, "%s", explain(want, value.RecordValue(value.Field{Name: name, Value: value.Null()}), "", 0, c.Zone))
			}
			if _, ok := c.conform(of, n.Args[i], 0); !ok && !c.whole(of, n.Args[i]) {
				return c.mismatch(op, &Param{Name: "`" + name + "`"}, of, n.Args[i])
			}
		}
	}
	if n.Op == OpLit && (want.Name == value.TypeRecord || want.Name == value.TypeList) {
		if why := explain(want, n.Lit, "", 0, c.Zone); why != "" {
			return fail.Errorf(fail.Invalid, op, "%s", why)
		}
	}
	if _, each := c.awaited(n); each != nil && want.Name == value.TypeList {
		return fail.Errorf(fail.Invalid, op, "%s", c.Catalog.Say(nil, "listed", "{param} must be plain values; got {got}", "param", p.Name, "got", got))
	}
	if want.Name == value.TypeKeys {
		return fail.Errorf(fail.Invalid, op, "%s", c.Catalog.Say(nil, "keys", "{param} must be one field, or an object of fields like {sample}; got {got}", "param", p.Name, "sample", c.Catalog.Say(nil, "sample", "{ name: … }"), "got", got))
	}
	if i := c.Catalog[n.Type.Name]; i != nil && i.is(want.Name) && want.Args[RowArg] != nil && n.Type.Args[RowArg] != nil {
		return fail.Errorf(fail.Invalid, op, "%s", c.Catalog.Say(i, "alike", "{param} must show {want}; it shows {got}", "param", p.Name, "want", c.shape(want.Args[RowArg]), "got", c.shape(n.Type.Args[RowArg])))
	}
	w := want.String()
	if i := c.Catalog[want.Name]; i != nil && i.Doc != "" {
		w = i.Doc
	}
	if p.Null && !want.Null {
		w += " or null"
	}
	got += c.Unsuited(n)
	if c.fraction(want, n) {
		if hint := c.Catalog.Say(c.Catalog[n.Type.Name], "fraction", ""); hint != "" {
			got += "; " + hint
		}
	}
	if p.Count && (n.Type.Name == value.TypeRecord || n.Op == OpLit && n.Lit.Type() == value.TypeRecord) {
		if hint := c.Catalog.Say(nil, "options", ""); hint != "" {
			got += "; " + hint
		}
	}
	if n.Op == OpLit {
		got += instead(want, n.Lit, c.Zone)
	}
	return fail.Errorf(fail.Invalid, op, "%s must be %s; got %s", p.Name, w, got)
}

// shape writes the form of an item of type t, for example { id: a number, name: text }.
func (c *Checker) shape(t *Type) string {
	val := func(t *Type) string {
		if of := t.Args["of"]; of != nil {
			return of.bare().String()
		}
		return t.bare().String()
	}
	if t.Name != value.TypeRecord {
		return val(t)
	}
	fs := scalar.Each(t.Fields[:min(len(t.Fields), 24)], func(f TypeField) string { return scalar.Clip(f.Name, maxShown) + ": " + val(f.Type) })
	return "{ " + strings.Join(fs, ", ") + " }"
}

// unselectable explains which field of a selection can't be shown, and what to write instead.
func (c *Checker) unselectable(n *Node) string {
	for k, a := range n.Args {
		if n.Op != OpRecord || c.selectable(&Type{Name: value.TypeRecord, Fields: []TypeField{n.Type.Fields[k]}}, 0) {
			continue
		}
		if i := c.Catalog[a.Type.Name]; i != nil && !i.Expr && i.Await != "" {
			name := n.Type.Fields[k].Name
			if row := c.Row(a); row != nil {
				if one := c.Catalog.Say(i, "unselectable.one", "", "name", name, "it", c.show(a), "member", slices.Concat(row.Order, []string{"…"})[0]); one != "" {
					return one
				}
			}
			part := "t"
			if ns := a.Type.Args["ns"]; ns != nil && len(ns.Fields) > 0 {
				part = ns.Fields[0].Name
			}
			return c.Catalog.Say(i, "unselectable", "`{name}` can't be shown: it has not been sent", "name", name, "part", part)
		}
		return fmt.Sprintf("`%s` can't be selected: it is %s%s", n.Type.Fields[k].Name, c.describe(a), c.Unsuited(a))
	}
	return ""
}

// Unsuited returns what to write instead of n in the place of another type. It is the end of an error; "" if nothing is known.
func (c *Checker) Unsuited(n *Node) string {
	i := c.Catalog[n.Type.Name]
	if i == nil { // return here, since Say with nil would ask all interfaces
		return ""
	}
	members := append(i.Names(), "…")
	if len(n.Type.Fields) > 0 {
		members[0] = n.Type.Fields[0].Name
	}
	if s := c.Catalog.Say(i, "unsuited", "", "it", c.show(n), "member", members[0]); s != "" {
		return "; " + s
	}
	return ""
}

func (c *Checker) describe(n *Node) string {
	switch n.Op {
	case OpLit:
		switch n.Lit.Kind() {
		case value.KindText:
			s := n.Lit.Text()
			if len(s) > 40 {
				s = s[:40] + "…"
			}
			return fmt.Sprintf("the text %q", strings.ToValidUTF8(s, ""))
		case value.KindNull:
			return "null"
		case value.KindBool, value.KindInt, value.KindFloat, value.KindTime:
			return "the plain value " + strings.Trim(n.Lit.String(), `"`)
		case value.KindList:
			return "a list"
		case value.KindRecord:
			return "an object"
		}
	case OpRecord:
		return "an object"
	case OpList:
		return "a list"
	case OpLambda:
		return "a callback"
	}
	if i := c.Catalog[n.Type.Name]; i != nil && i.Expr {
		return fmt.Sprintf("%s, which is %s", c.show(n), n.Type.Args["of"])
	}
	return c.show(n)
}
