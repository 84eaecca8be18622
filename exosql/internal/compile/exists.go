package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// existsExpr is whether a link of a row leads to a row that is in scope. It is true or
// false and never NULL, so that its negation means the rest of the rows.
type existsExpr struct {
	parent, child *occurrence
	link          *decl.Link
	sub           *from // the child in its scope
}

// exists interprets n, a link of a row, as a condition on that row.
func (f *from) exists(n *exo.Node, env names) (expr, error) {
	if n.Op != exo.OpCall || !isRow(n.Recv, f, env) {
		return nil, exo.Errorf(exo.Invalid, language.ExistsMethod, "asks in a callback for the link of a row, as it is: task.comments().exists(); to know of any other query await its count()")
	}
	parent, err := f.row(n.Recv, env)
	if err != nil {
		return nil, err
	}
	if parent.facet == nil || parent.facet.Link(n.Name) == nil {
		return nil, exo.Errorf(exo.Denied, n.Name, "no such link")
	}
	l := parent.facet.Link(n.Name)
	sub := f.c.newFrom(f)
	// In full scope: the link stands beside it and implies none of it.
	child, err := sub.occur(parent.grant, l.To, l.To.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	return existsExpr{parent: parent, child: child, link: l.L, sub: sub}, nil
}

func (e existsExpr) sql(f *from) sqlast.Expr {
	where := slices.Clone(e.sub.where)
	for _, p := range e.link.Pairs {
		x, y := f.pair(colExpr{e.child, p.To}, colExpr{e.parent, p.From})
		f.c.linking = true
		where = append(where, call(sqlast.Eq, compared(x, e.sub), compared(y, f)))
		f.c.linking = false
		f.c.link(e.sub, e.child, p.To, f, e.parent, p.From)
	}
	return sqlast.Exists{Sub: e.sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: sqlast.One, As: "k"}}, Where: where})}
}

func (existsExpr) typ() exprType { return exprType{kind: exo.TypeBool} }
