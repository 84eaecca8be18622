package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sealed"
)

// labelled reports whether the statement names a table with a labelled column. Unsorted rows come
// in the order of whichever index was fastest, and an index of the labelled column would reveal
// its order. So the rows of such a statement are sorted by their keys, which are never labelled.
func (c *compiler) labelled() bool {
	return slices.ContainsFunc(c.entered, func(o *expr.Row) bool {
		return slices.ContainsFunc(o.Table.Cols, func(col *decl.Column) bool { return !col.Label.Secrecy().Empty() })
	})
}

// sealed marks the cells that the gate will seal, by the types of the message, as the gate does.
// Limits count a cell that comes through a derived table like the largest labelled column. Values
// for Go code, and rows within rows, are not sealed: the run gets their labels
// (TestHostReadsWhole).
func (c *compiler) sealed(p *plan.Plan) error {
	n, made := 0, 0
	for i, l := range c.msg.CellLabels(p.Shape) {
		if i < len(p.Cells) && !l.FlowsTo(c.msg.Label) { // a cell is sealed only if its label goes beyond the run's
			if p.Cells[i].Sealed = c.charges[i]; p.Cells[i].Sealed == 0 {
				p.Cells[i].Sealed = max(c.Charge, 1)
			}
			n++
			made += c.made[i]
		}
	}
	if made > expr.MaxMadeSealed {
		return fail.Errorf(fail.Limit, "", "the texts that one row builds from labelled values could exceed %d MiB: select fewer of them", expr.MaxMadeSealed>>20)
	}
	if n > maxSealed {
		return fail.Errorf(fail.Limit, "", "a row shows %d labelled values; %d is the limit: select the ones that you need, each once", n, maxSealed)
	}
	return nil
}

// maxSealed bounds the sealed cells of a row. The engine refuses a row by its real size, so many
// copies of a small value would reveal its length (TestManyCopies). With this many values of the
// largest size, sealed.Most, a row is half of engine.MaxRow.
const maxSealed = 64

// makes notes the charge of a calculated cell (the size that limits count if it is sealed), and the size that the
// engine may make. Both depend only on the expression and the declarations: a charge by a row's value would reveal
// that value.
func (c *compiler) makes(cell int, e expr.Expr) {
	if c.charges == nil {
		c.charges = map[int]int{}
	}
	c.charges[cell] = min(expr.ChargeOf(e), sealed.Most)
	if t := e.Type(); t.Kind == value.TypeText && t.Size.Whole > 0 {
		if c.made == nil {
			c.made = map[int]int{}
		}
		c.made[cell] = t.Size.Whole
	}
}
