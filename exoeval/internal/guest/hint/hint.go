// Package hint writes what the author should write instead. It makes sentences from a node, the catalogue and the phrases that interfaces
// declare (message.Phrase). Package guest asks it when a program used something that does not exist. Hints that depend on the program's text
// are in package guest.
package hint

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Hints are the hints for what one program was granted.
type Hints struct {
	Check   *message.Checker
	Granted []message.GrantedName
}

// Say returns the phrase for a situation that the interface of n declares. If n is nil, any granted interface may declare the phrase. Without
// a phrase Say returns otherwise. See message.Phrase.
func (h *Hints) Say(n *message.Node, on, otherwise string, parts ...string) string {
	var i *message.Interface
	if n != nil {
		i = h.Check.Catalog[n.Type.Name]
	}
	return h.Check.Catalog.Say(i, on, otherwise, parts...)
}

// MemberNoun is the word for a member of a described thing.
func (h *Hints) MemberNoun() string { return h.Say(nil, "member", "member") }

// Describes returns the words for what a described thing does.
func (h *Hints) Describes() string { return h.Say(nil, "describes", "only describes") }

// And returns s as a continuation of an error's sentence, or "" if s is empty.
func And(s string) string { return Prefixed("; ", s) }

// Prefixed returns the prefix followed by s, or "" if s is empty.
func Prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// Within reports whether a name is a field of a group's rows, which are in a type argument of n.
func (h *Hints) Within(n *message.Node, name string) bool {
	for _, of := range n.Type.Args {
		for _, f := range of.Fields {
			if i := h.Check.Catalog[f.Type.Name]; i != nil && !i.Expr && i.Fields[name] != nil {
				return true
			}
		}
	}
	return false
}

// measured returns what to write instead of a measure that n lacks, or of a name that ends like a measure's, such as runningRevenue;
// "" for any other member.
func (h *Hints) measured(n *message.Node, name string) string {
	c := h.Check.Catalog
	names := c.Measures(n.Type)
	if h.measures(n, name) {
		names = []string{name}
	}
	for _, m := range names {
		if k := len(name) - len(m); k >= 0 && strings.EqualFold(name[k:], m) {
			return h.Say(n, "measured", "", "name", m, "key", h.groupKey(n))
		}
	}
	return ""
}

// OfRows returns what to write instead of a measure, or of a field of a group's rows, in an argument of a method; "" for any other member.
func (h *Hints) OfRows(n *message.Node, name string, of *message.Method) (s string) {
	if s = h.measured(n, name); s != "" {
		return s
	}
	if !h.Within(n, name) {
		return ""
	}
	if of != nil && of.Sends && len(of.Params) > 0 {
		keys := ""
		for _, f := range n.Type.Fields {
			keys += f.Name + ": g." + f.Name + ", "
		}
		s = h.Say(n, "within.all", "", "name", name, "keys", keys, "method", of.Name)
	}
	if s == "" {
		if s = h.Say(n, "within", "", "name", name); s != "" {
			s = strings.TrimPrefix(h.KeyNames(n, "keys.are")+"; ", "; ") + s
		}
	}
	return s
}

// LinkedTable returns the error for a link's name in place of a table's.
func (h *Hints) LinkedTable(table string, m *message.Method, names []string) string {
	if to := m.Result; to != nil && to.Con != nil && to.Con.Args["ns"] != nil && len(to.Con.Args["ns"].Fields) == 1 {
		if n := to.Con.Args["ns"].Fields[0].Name; slices.Contains(names, n) {
			return h.Say(nil, "link.part", "`{link}` is a link; here use `{name}`, the name of what the link leads to", "link", m.Name, "name", n)
		}
	}
	return h.Say(nil, "link", "`{link}` is a link of {part}: call it, {part}.{link}()", "link", m.Name, "part", table)
}

// Calculated reports whether n has an aggregate or a measure of this name that takes no arguments. Such a value is used by its name, like a
// field.
func (h *Hints) Calculated(n *message.Node, name string) bool {
	c := h.Check.Catalog
	if i := c[n.Type.Name]; i == nil || i.Fields[name] != nil || n.Type.Field(name) != nil {
		return false
	}
	m, _ := c.Method(n.Type, name)
	if m == nil || len(m.Params) > 0 {
		return false
	}
	return m.Measure || !m.Sends && m.Result.Con != nil && c[m.Result.Con.Name] != nil && c[m.Result.Con.Name].Expr
}

// Having returns what to write instead of comparing a measure for single rows in an object; "" if the rows have no measure of this name.
func (h *Hints) Having(n *message.Node, name string, v any) string {
	is := "!== null"
	switch v.(type) {
	case string, int64, float64, bool:
		text, _ := json.Marshal(v)
		is = "=== " + string(text)
	}
	if !h.measures(n, name) {
		return ""
	}
	return h.Say(n, "measured.is", "", "name", name, "key", h.groupKey(n), "is", is)
}

// measures reports whether a name is a measure of many rows like n.
func (h *Hints) measures(n *message.Node, name string) bool {
	i := h.Check.Catalog[n.Type.Name]
	if i == nil || h.Check.Catalog[i.Many] == nil {
		return false
	}
	m := h.Check.Catalog[i.Many].Methods[name]
	return m != nil && m.Measure
}

// groupKey returns the name of a field by which an example groups the rows of n. It prefers the second possible key, because the first often
// is an id.
func (h *Hints) groupKey(n *message.Node) string {
	key, i := "key", h.Check.Catalog[n.Type.Name]
	if i == nil {
		return key
	}
	seen := 0
	for _, name := range i.Names() {
		f := i.Fields[name]
		if f == nil || f.Type.Args["of"] == nil || seen == 2 {
			continue
		}
		switch f.Type.Args["of"].Name {
		case value.TypeInt, value.TypeText, value.TypeBool, value.TypeDate, value.TypeTime, value.TypeUUID:
			key = name
			seen++
		}
	}
	return key
}

// Elsewhere names a granted object with a link that is named like the call n, and whose rows have the member; "" if there is none.
func (h *Hints) Elsewhere(n *message.Node, name string) string {
	for _, g := range h.Granted {
		i := h.Check.Catalog[g.Type.Name]
		if n.Op != message.OpCall || i == nil || i.Methods[n.Name] == nil || !h.GivesQuery(i.Methods[n.Name]) {
			continue
		}
		if h.Check.Catalog[i.Methods[n.Name].Result.Con.Name].Methods[name] != nil {
			return "; api." + g.Name + "." + n.Name + "() has `" + name + "`"
		}
	}
	return ""
}

// GivesQuery reports whether a method returns something that can be sent, rather than an expression.
func (h *Hints) GivesQuery(m *message.Method) bool {
	if m.Result == nil || m.Result.Con == nil {
		return false
	}
	i := h.Check.Catalog[m.Result.Con.Name]
	return i != nil && i.Await != ""
}

// ArrayMember reports whether a name is a member of arrays that programs often try to use on rows.
func ArrayMember(name string) bool {
	switch name {
	case "map", "filter", "forEach", "reduce", "find", "findIndex", "some", "every", "length", "slice", "sort", "flatMap", "includes", "push", "concat", "at", "entries", "keys", "values", "toSorted":
		return true
	}
	return false
}

// Instead returns what to write if n lacks the method of an operator; "" if nothing is known.
func (h *Hints) Instead(n *message.Node, method string) string {
	if i := h.Check.Catalog[n.Type.Name]; i != nil && i.Expr && (method == "&&" || method == "?:") && h.Say(n, "op:"+method, "") == "" {
		return "; compare it, like " + h.Comparison(n)
	}
	if h.Check.Catalog[n.Type.Name] == nil {
		return ""
	}
	return And(h.Say(n, "op:"+method, "", "it", h.Check.Name(n)))
}

// Unlinked returns what to write instead of comparing a whole record with null: the condition that a link has no row. The node on is the query of
// the callback. The record must come from a link.
func (h *Hints) Unlinked(n, on *message.Node) string {
	if n.Op != message.OpField || n.Recv.Op != message.OpParam {
		return ""
	}
	for q := on; q != nil && q.Op == message.OpCall; q = q.Recv {
		for _, l := range q.Args {
			if l.Op != message.OpLambda {
				continue
			}
			if to := l.Args[0]; to.Op == message.OpCall && to.Recv.Op == message.OpField && to.Type.Args["ns"] != nil && to.Type.Args["ns"].Field(n.Name) != nil {
				return h.Say(n, "absent", "", "it", to.Recv.Name, "link", h.Check.Name(to))
			}
		}
	}
	return ""
}

// Comparison returns a condition that a program may mean when it uses a column alone.
func (h *Hints) Comparison(n *message.Node) string {
	s := h.Check.Name(n) + " !== null"
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

// dayAndTime reports whether a is a day and b is, or contains, a time.
func (h *Hints) dayAndTime(a, b *message.Node) bool {
	if b.Op == message.OpList {
		for _, x := range b.Args {
			if h.dayAndTime(a, x) {
				return true
			}
		}
		return false
	}
	x, y := h.ValueType(a), h.ValueType(b)
	return x == value.TypeDate && y == value.TypeTime || x == value.TypeTime && y == value.TypeDate
}

// ValueType returns the name of the type of a column's values, or "" if n is no column.
func (h *Hints) ValueType(n *message.Node) string { return front.ValueType(h.Check.Catalog, n) }

// Part returns the name of the records of an unsent thing, or the name of the first of its parts; "" if it has none.
func (h *Hints) Part(n *message.Node) string {
	if ns := n.Type.Args["ns"]; ns != nil && len(ns.Fields) > 0 {
		return ns.Fields[0].Name
	}
	return ""
}

// KeyNames lists the keys of a group for an error. It is "" if n is no group.
func (h *Hints) KeyNames(n *message.Node, on string) string {
	if n == nil || len(n.Type.Fields) == 0 {
		return ""
	}
	names := scalar.Each(n.Type.Fields, func(f message.TypeField) string { return h.Check.Name(n) + "." + f.Name })
	return h.Say(n, on, "", "keys", strings.Join(names[:min(len(names), 12)], ", "))
}

// Links returns the interface's phrase about a link of an unsent thing, or "".
func (h *Hints) Links(n *message.Node) string {
	link := h.Check.Link(n.Type.Name)
	if link == "" {
		return ""
	}
	return h.Say(n, "links", "", "it", h.Check.Name(n), "link", link)
}

// RowOf returns the interface of the records and the part's name, for an unsent thing with one part, else nil and "".
func (h *Hints) RowOf(n *message.Node) (*message.Interface, string) {
	ns := n.Type.Args["ns"]
	if ns == nil || len(ns.Fields) != 1 {
		return nil, ""
	}
	return h.Check.Catalog[ns.Fields[0].Type.Name], ns.Fields[0].Name
}

// FromGrants returns the shortest advice of front.PathTo from a granted object to a member, or "".
func (h *Hints) FromGrants(name string) string {
	best := ""
	for _, g := range h.Granted {
		if s := front.PathTo(h.Check.Catalog, g.Type.Name, "api."+g.Name, name); s != "" && (best == "" || strings.Count(s, ".") < strings.Count(best, ".")) {
			best = s
		}
	}
	return best
}

// OfCall returns what to write instead of a refused call; "" if nothing is known.
func (h *Hints) OfCall(recv *message.Node, m *message.Method, args []*message.Node) string {
	i := h.Check.Catalog[recv.Type.Name]
	for k, a := range args {
		switch {
		case m.Params[k].Filter && a.Op == message.OpLambda && h.ValueType(a.Args[0]) != "":
			return "; compare it, like " + h.Comparison(a.Args[0])
		case i != nil && i.Expr && m.Params[k].Count && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt && a.Lit.Int() < 0:
			return h.Say(recv, "negative", "")
		case i != nil && i.Expr && h.ValueType(recv) == value.TypeTime && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt:
			return h.Say(recv, "time.number", "", "it", a.Lit.String())
		case m.Params[k].Want.Con != nil && m.Params[k].Null && m.Params[0].Count && a.Op == message.OpLit && a.Lit.Type() == value.TypeInt:
			return And(h.Say(recv, "options", ""))
		case i != nil && i.Expr && h.dayAndTime(recv, a):
			return h.Say(recv, "day.time", "")
		case i != nil && i.Methods["??"] == m && a.Op == message.OpLit:
			return And(h.Say(recv, "mixed", "", "it", h.Check.Name(recv)))
		}
	}
	return ""
}

// Synonym returns the meaning of a name on n in the form of message.Phrase, or "" if the name is no synonym.
func (h *Hints) Synonym(n *message.Node, name string) string {
	i := h.Check.Catalog[n.Type.Name]
	if i == nil || len(i.Words) == 0 {
		return ""
	}
	text := h.Check.Catalog.Say(i, "as."+name, "")
	if name == "" || text == "" {
		return ""
	}
	if after, steps, ok := strings.Cut(text, ">"); ok {
		for ; n != nil && n.Op == message.OpCall; n = n.Recv {
			if n.Name == after {
				return steps
			}
		}
		return ""
	}
	return text
}

// FirstStep returns the first method that the steps of a synonym name, without its marks.
func FirstStep(steps string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(steps, "=("), " ")
	name, _, _ = strings.Cut(name, "/")
	return strings.TrimRight(name, ")")
}
