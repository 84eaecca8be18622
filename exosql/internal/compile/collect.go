package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// listExpr is the values of the rows of a group as a list, in the order of the grouped query,
// then by the rows' keys. The database returns each value as the text that toText makes, the same on both engines; JSON and arrays would differ.
//
// An engine would build a list of any length. On SQLite a function of this module builds the list,
// with a bound. On PostgreSQL a window over the rows counts the bytes of the list before each row.
// The window sorts no row out of scope: it is behind the fence (see package fence), or in a plan that reads only rows in scope.
type listExpr struct {
	g      *group
	text   expr.Expr
	within []expr.Expr
}

func (e listExpr) Type() expr.Type { return expr.Type{Kind: value.TypeJSON} }

func (e listExpr) SQL(*expr.From) sqlast.Expr {
	c := e.g.inner.c
	if c.Emitted++; c.Emitted > expr.MaxEmitted {
		return sqlast.Null // the method finish then refuses the statement as too large
	}
	if len(c.Guards) > 0 {
		c.Unguarded = true // a statement with guards (see guard.go) may read rows out of scope, and the program must not sort these
	}
	before := c.Sorting
	c.Sorting = true
	defer func() { c.Sorting = before }()
	if e.g.rows == nil {
		return sqlast.Collected{X: e.value(e.g.inner), OrderBy: e.order(e.g.inner)}
	}
	in := e.g.under
	x := e.output(e.value(in))
	keys := scalar.Each(e.g.by, func(k expr.Expr) sqlast.Expr { return in.CanonicalSQL(k) })
	return sqlast.Collected{X: x, Run: e.output(sqlast.Running{X: e.value(in), PartitionBy: keys, OrderBy: e.order(in)})}
}

// value returns the text that a row adds to the list, or NULL if the row fails the conditions.
func (e listExpr) value(f *from) sqlast.Expr {
	return expr.OnlyWhere(&f.From, e.text.SQL(&f.From), e.within)
}

// order returns the order of the list. Its last term is the text itself, since a table may have no key.
func (e listExpr) order(f *from) []sqlast.Order {
	return append(f.orders(e.g.order, true), sqlast.Order{Expr: e.value(f)})
}

// output adds x as a column to the derived table of grouped rows, and returns that column.
func (e listExpr) output(x sqlast.Expr) sqlast.Expr {
	d := e.g.rows
	name := fmt.Sprintf("w%d", len(d.Sel.Columns))
	d.Sel.Columns = append(d.Sel.Columns, sqlast.Output{Expr: x, As: name})
	return sqlast.Column{Alias: e.g.inner.At[e.g.inner.Rows[0]].Alias, Name: name}
}

// collects reports whether a message asks for a list of a group's values.
func collects(root *message.Node) bool {
	seen := map[*message.Node]bool{}
	var visit func(n *message.Node) bool
	visit = func(n *message.Node) bool {
		if n == nil || seen[n] {
			return false
		}
		seen[n] = true
		if n.Op == message.OpCall && n.Name == language.Collect && isGroup(n.Recv.Type) || visit(n.Recv) {
			return true
		}
		for _, a := range n.Args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	return visit(root)
}

// collect returns the values of x in the rows of a group that meet the conditions, as a list. The items
// have the type in the catalogue; the compiler's type may be wider, because of a literal.
func (g *group) collect(row *expr.Row, x expr.Expr, of *message.Type, within []expr.Expr) (expr.Expr, error) {
	f := g.inner
	if err := f.Holds(language.Collect); err != nil {
		return nil, err
	}
	if !groupable(x) {
		return nil, fail.Errorf(fail.Invalid, language.Collect, "takes %s", ofColumns)
	}
	text := f.ToText(x)
	if err := text.Type().Fits(language.Collect); err != nil {
		return nil, err
	}
	c := g.cell(row, listExpr{g, text, within})
	c.List = of.Args["of"].Name
	return c, nil
}
