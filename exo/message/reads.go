package message

// This file finds the labels of what a call reads and shows, and the rows that a selection shows.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
)

// An expression has two labels. A condition, an order, a group or a sum *reads* values, since they decide the
// outcome. The label of what it reads is Node.label, and joins the run's label for good. A selected column *shows*
// values: the program gets them unchanged. The label of what it shows is in its Type. Every use of an expression
// except showing it reads it. A type that is made from another keeps its label (Term).

// reads joins the labels of the values that decide the outcome of a call of m.
func (c *Checker) reads(recv *Node, m *Method, args []*Node) (l value.Label) {
	if m.Total { // the function totals finds what a total method shows
	} else if i := c.Catalog[recv.Type.Name]; i == nil || i.Expr {
		l = c.Catalog.Shows(recv.Type)
	} else if m.Row || c.opaque(m.Result) || c.opaque(m.Nested) {
		l = c.Catalog.argsShow(recv.Type)
	}
	for i, a := range args {
		p := &m.Params[i]
		l = l.Join(p.labelsOf(a))
		if a.Op == OpLambda && p.selects() || m.sets(p) || m.Total {
			continue
		}
		l = l.Join(c.Catalog.Shows(a.Type))
	}
	return l
}

// totals joins the labels of what the receiver and the arguments of a total method show, since the
// result shows the same. A program that compares, sorts or groups by the result reads it, like a column.
func (c *Checker) totals(recv *Node, args []*Node) value.Label {
	l := c.Catalog.Shows(recv.Type)
	for _, a := range args {
		l = l.Join(c.Catalog.Shows(a.Type))
	}
	return l
}

// opaque reports whether the result of a method is data or text, which may contain any part of its receiver. A number or a truth
// value of a closed type reveals only how many rows there are, or whether there are any.
func (c *Checker) opaque(t *Term) bool {
	if t == nil || t.Con == nil {
		return false
	}
	switch t.Con.Name {
	case value.TypeNull, value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeNumber, value.TypeTime:
		return false
	}
	return c.Catalog[t.Con.Name] == nil
}

// sets reports whether m adds the argument for p to the receiver's rows without reading it, each
// part under its own name. An example is the table of a join.
func (m *Method) sets(p *Param) bool {
	if p.Bind == "" || m.Result == nil || m.Result.Args["ns"] == nil {
		return false
	}
	return slices.ContainsFunc(m.Result.Args["ns"].Ext, func(t *Term) bool { return t.Var == p.Bind+".ns" })
}

// Shows joins the labels of everything that a value of type t shows.
func (c Catalog) Shows(t *Type) value.Label {
	if t == nil {
		return value.Label{}
	}
	l := t.Label
	i := c[t.Name]
	if i != nil && !i.Expr {
		for _, p := range i.Fields {
			l = l.Join(p.Label)
		}
	}
	for _, f := range t.Fields {
		l = l.Join(f.Label).Join(c.Shows(f.Type))
	}
	if i == nil || !i.Expr {
		l = l.Join(c.argsShow(t))
	}
	return l
}

// argsShow joins the labels of what a type's arguments show, such as the row of a query or the items of a list. It
// leaves out the argument for callbacks, which get all tables of a query, even those that the query does not show.
func (c Catalog) argsShow(t *Type) (l value.Label) {
	for name, of := range t.Args {
		if name != "ns" && name != ShownArg {
			l = l.Join(c.Shows(of))
		}
	}
	return l
}

// A selection may show the rows of a link: a list of records or, for a link to at most one row, a record or null. Its
// type is rows, with the argument "of" or "one", and no method takes it. The node is a call, in a callback, of the method
// that an await of the query would call. So a policy that removes that method removes the rows. The label of the message
// has the method's Reply and the labels of all that the rows show.

// selects reports whether a callback for p selects what is shown.
func (p *Param) selects() bool {
	return p.Want != nil && p.Want.Con != nil && p.Want.Con.Name == value.TypeSelection
}

// shown returns what the callback of param returned, with a call in place of each query of rows that it shows.
func (c *Checker) shown(param, body *Node) (*Node, error) {
	if param.method == nil || !param.method.Params[param.Arg].selects() || body.Op != OpRecord {
		return body, nil
	}
	args, some := slices.Clone(body.Args), false
	for i, a := range args {
		x, err := a, error(nil)
		if a.Op == OpRecord {
			x, err = c.shown(param, a)
		} else if of := c.Catalog[a.Type.Name]; c.listed(a, of) {
			x, err = c.MakeCall(a, of.Await, nil)
		}
		if err != nil {
			return nil, err
		}
		args[i], some = x, some || x != a
	}
	if !some {
		return body, nil
	}
	return c.MakeRecord(body.Names, args)
}

// listed reports whether a is a query, within a callback, of rows that belong to the callback's row.
func (c *Checker) listed(a *Node, of *Interface) bool {
	if of == nil || of.Expr || of.Await == "" || a.Closed() || a.built() {
		return false
	}
	m := of.Methods[of.Await]
	return m != nil && m.Nested != nil && m.Nested.App == value.TypeRows
}

// rowsOf returns the type of the rows that call n gives.
func (c *Checker) rowsOf(n *Node) *Type {
	of := "of"
	if c.one(n.Recv) {
		of = "one"
	}
	return &Type{Name: value.TypeRows, Args: map[string]*Type{of: n.Type.Args["of"]}}
}
