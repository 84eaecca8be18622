package exo

import "slices"

// What a selection shows of a row may be the rows of a link: a list of records, or of a link to at most one row a
// record or null. Its type is rows, with the argument "of" or "one", which no method takes. The node
// is a call of the method that awaiting the query stands for, in a callback: so a policy that withholds
// that withholds the rows, and its Reply and the labels of all that it shows are in the label of the message.

// selects reports whether a callback for p says what is shown.
func (p *Param) selects() bool {
	return p.Want != nil && p.Want.Con != nil && p.Want.Con.Name == TypeSelection
}

// shown is what the callback of param returned, with a call in the place of each query of rows that it shows.
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

// listed reports whether a is a query of rows that belong to a row of a callback.
func (c *Checker) listed(a *Node, of *Interface) bool {
	if of == nil || of.Expr || of.Await == "" || a.Closed() || a.built() {
		return false
	}
	m := of.Methods[of.Await]
	return m != nil && m.Nested != nil && m.Nested.App == TypeRows
}

// rowsOf is the type of the rows that a call gives.
func (c *Checker) rowsOf(n *Node) *Type {
	of := "of"
	if c.one(n.Recv) {
		of = "one"
	}
	return &Type{Name: TypeRows, Args: map[string]*Type{of: n.Type.Args["of"]}}
}
