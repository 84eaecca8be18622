package message

// This file decides whether an argument fits the wanted type. node.go calls it for each call, and literal.go converts values for it.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// accept checks one argument against its parameter and returns it. A literal is converted to the
// wanted type.
func (c *Checker) accept(op string, p *Param, want *Type, n *Node) (*Node, error) {
	body := n
	if n.Op == OpLambda {
		body = n.Args[0]
	}
	if p.Null && body.Op == OpLit && body.Lit.IsNull() {
		return n, nil
	}
	if p.Many && body.Op == OpList {
		for _, x := range body.Args {
			if got, ok := c.conform(want, x, 0); !ok || got != x {
				return nil, c.mismatch(op, p, want, x)
			}
		}
		if len(body.Args) == 0 {
			return nil, fail.Errorf(fail.Invalid, op, "%s is an empty list; give at least one item", p.Name)
		}
		return n, nil
	}
	got, ok := c.conform(want, body, 0)
	if !ok {
		return nil, c.mismatch(op, p, want, body)
	}
	if p.Count && got.Op == OpLit && got.Lit.Int() < 0 {
		return nil, fail.Errorf(fail.Invalid, op, "%s must not be negative; got %d", p.Name, got.Lit.Int())
	}
	if got == body {
		return n, nil
	}
	if n.Op == OpLambda {
		l := *n
		l.Args = []*Node{got}
		return &l, nil
	}
	return got, nil
}

// lists reports whether n, which has not been sent, can be the list of values that an operator wants. Awaiting n must
// give a list with items of the wanted type, or of records with one field of that type. The label is what awaiting n would add.
func (c *Checker) lists(of *Type, n *Node) (value.Label, bool) {
	m, cell := c.awaited(n)
	if cell == nil || of == nil {
		return value.Label{}, false
	}
	label := m.Label.Join(m.Reply).Join(c.Catalog.Shows(cell))
	if cell.Name == value.TypeRecord && len(cell.Fields) == 1 {
		cell = cell.Fields[0].Type
	}
	i := c.Catalog[cell.Name]
	return label, i != nil && i.Expr && scalarFits(of, cell.Args["of"])
}

// awaited returns the method that awaiting n calls, and the type of each item of its list. Both are
// nil if n can't be awaited, or gives no list.
func (c *Checker) awaited(n *Node) (*Method, *Type) {
	i := c.Catalog[n.Type.Name]
	if i == nil || n.built() || n.sends || i.Methods[i.Await] == nil {
		return nil, nil
	}
	m := i.Methods[i.Await]
	all, err := (&env{cat: c.Catalog, self: n.Type, args: n.Type.Args}).resolve("", m.Result)
	if err != nil || all.Name != value.TypeList {
		return nil, nil
	}
	return m, all.Args["of"]
}

// notNull returns a wanted type without null, since a nullable column is compared with values, not
// with null. A parameter that gives null a meaning declares so itself.
func notNull(t *Type) *Type {
	of := t.Args["of"]
	if !t.Null && (of == nil || !of.Null) {
		return t
	}
	n := *t
	n.Null = false
	if of != nil {
		n.Args = map[string]*Type{"of": notNull(of)}
	}
	return &n
}

// conform reports whether n fits the wanted type. It returns n, or the converted literal that
// replaces n.
func (c *Checker) conform(want *Type, n *Node, depth int) (*Node, bool) {
	if depth > 16 {
		return nil, false
	}
	switch {
	case want.Name == value.TypeSelection:
		return n, c.selectable(n.Type, depth) || c.isExpression(n)
	case want.Name == value.TypeKeys:
		return n, n.Op == OpRecord && len(n.Args) > 0 && !slices.ContainsFunc(n.Args, func(a *Node) bool {
			i := c.Catalog[a.Type.Name]
			return i == nil || !i.Expr
		})
	case n.Op == OpLit:
		if value.IsScalar(want.Name) || want.Name == value.TypeList || want.Name == value.TypeRecord {
			v, ok := admit(want, n.Lit, 0, c.Zone)
			if !ok {
				return nil, false
			}
			if sameScalarValue(v, n.Lit) {
				return n, true
			}
			l := *n // the converted literal is a copy, since another call may use the original
			l.Lit = v
			return &l, true
		}
		// A plain value is accepted as an expression, but never as a condition: the callback of
		// `where(t => t.done === false)`, if it is not recorded, returns plain false.
		return nil, false
	case n.Op == OpList && want.Name == value.TypeList:
		l := *n
		l.Args = slices.Clone(n.Args)
		for i, a := range n.Args {
			x, ok := c.conform(want.Args["of"], a, depth+1)
			if !ok {
				return nil, false
			}
			l.Args[i] = x
		}
		return &l, true
	case n.Op == OpRecord && want.Name == value.TypeRecord:
		return c.conformRecord(want, n, depth)
	case value.IsScalar(want.Name):
		i := c.Catalog[n.Type.Name]
		return n, i != nil && i.Expr && scalarFits(want, n.Type.Args["of"])
	}
	i := c.Catalog[n.Type.Name]
	return n, i != nil && n.Op != OpLambda && i.is(want.Name) && argsFit(want.Args, n.Type.Args)
}

// conformRecord does the work of conform for a record of values and expressions, such as the fields that an update sets.
func (c *Checker) conformRecord(want *Type, n *Node, depth int) (*Node, bool) {
	r := *n
	r.Args = slices.Clone(n.Args)
	for i, a := range n.Args {
		of := want.Field(n.Names[i])
		if of == nil {
			return nil, false
		}
		x, ok := c.conform(of, a, depth+1)
		if !ok && !c.whole(of, a) {
			return nil, false
		} else if ok {
			r.Args[i] = x
		}
	}
	for _, f := range want.Fields {
		if !f.Opt && !slices.Contains(n.Names, f.Name) {
			return nil, false
		}
	}
	return &r, true
}

// whole reports whether n is a rounded number in the place of a whole one. The code that stores it must check its size.
func (c *Checker) whole(want *Type, n *Node) bool {
	return c.fraction(want, n) && n.Op == OpCall && n.method != nil && n.method.Whole
}

// fraction reports whether n is an expression of a number that may have a fraction, in the place of a whole number.
func (c *Checker) fraction(want *Type, n *Node) bool {
	i, of := c.Catalog[n.Type.Name], n.Type.Args["of"]
	return want.Name == value.TypeInt && i != nil && i.Expr && of != nil && of.Name != value.TypeInt && scalar.NumberRank(of.Name) > 0
}

// argsFit reports whether got has each type argument that want has.
func argsFit(want, got map[string]*Type) bool {
	for k, w := range want {
		g := got[k]
		if g == nil || !scalarFits(w, g) || len(w.Fields) != len(g.Fields) || !argsFit(w.Args, g.Args) {
			return false
		}
		for i, f := range w.Fields {
			if f.Name != g.Fields[i].Name || !argsFit(map[string]*Type{"": f.Type}, map[string]*Type{"": g.Fields[i].Type}) {
				return false
			}
		}
	}
	return true
}

// isExpression reports whether n is an expression for a value of a row: a column, or something computed from columns.
func (c *Checker) isExpression(n *Node) bool {
	i := c.Catalog[n.Type.Name]
	return i != nil && i.Expr && (n.Op == OpField || n.Op == OpCall)
}

func (c *Checker) selectable(t *Type, depth int) bool {
	if depth > 4 {
		return false
	}
	if t.Name == value.TypeRecord {
		if len(t.Fields) == 0 {
			return false
		}
		for _, f := range t.Fields {
			i := c.Catalog[f.Type.Name]
			if !(value.IsScalar(f.Type.Name) && f.Type.Name != value.TypeData) && !(i != nil && i.Expr) && f.Type.Name != value.TypeRows && !c.selectable(f.Type, depth+1) {
				return false
			}
		}
		return true
	}
	i := c.Catalog[t.Name]
	return i != nil && (i.is(value.TypeRow) || len(t.Fields) > 0)
}

func scalarFits(want, got *Type) bool {
	if got == nil {
		return false
	}
	switch want.Name {
	case value.TypeData:
		return true
	case value.TypeNumber, value.TypeDecimal:
		return scalar.NumberRank(got.Name) > 0
	case value.TypeFloat:
		return got.Name == value.TypeInt || got.Name == value.TypeFloat
	}
	return want.Name == got.Name
}
