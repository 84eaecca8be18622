package exosql

import (
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// collector takes the cells of a result as an engine decodes them, in the order
// of the plan's cells and row by row, and spends the budget of the message while
// they come: a result that is too large is never held whole.
type collector struct {
	rows  *exo.Rows
	cells []cell
	m     *exo.Message // nil for the typed API, which has no budget
	at    int          // index of the next cell in its row
	n     int          // whole rows that are not spent yet
	size  int          // bytes that are not spent yet
}

func newCollector(p *plan, m *exo.Message) *collector {
	return &collector{rows: &exo.Rows{Shape: p.shape.Clone()}, cells: p.cells, m: m} // the plan is shared by all tenants
}

const (
	spendRows  = 64
	spendBytes = 64 << 10
)

// next is the cell whose value comes next.
func (c *collector) next() *cell { return &c.cells[c.at] }

// null takes a NULL for the next cell: where none was declared it is the host's error.
func (c *collector) null() error {
	if cell := c.next(); !cell.null && cell.kind != exo.TypeNull {
		return cell.contradicts("NULL")
	}
	return c.add(exo.Null())
}

// add takes the value of the next cell, of the declared kind; the zero Value
// stands for what such a cell can't hold, and is the host's error.
func (c *collector) add(v exo.Value) error {
	if v.Kind() == exo.NoValue {
		return c.next().contradicts("what no value can be")
	}
	if len(c.rows.Cells) == cap(c.rows.Cells) {
		// By doubling: append grows long slices by quarters, which copies each cell four times.
		c.rows.Cells = slices.Grow(c.rows.Cells, max(len(c.rows.Cells), 8*len(c.cells)))
	}
	c.rows.Cells = append(c.rows.Cells, v)
	c.size += v.Bytes()
	if c.at++; c.at == len(c.cells) {
		c.at = 0
		c.n++
	}
	if c.n == spendRows || c.size > spendBytes { // wide rows: not only between them
		return c.spend()
	}
	return nil
}

func (c *collector) spend() error {
	n, size := c.n, c.size
	c.n, c.size = 0, 0
	if c.m == nil || n == 0 && size == 0 {
		return nil
	}
	return c.m.Spend(n, size)
}

// end spends what is left; every row must be whole.
func (c *collector) end() error {
	if c.at != 0 {
		return errors.New("exosql: a row has fewer cells than its plan")
	}
	return c.spend()
}

// contradicts is the error of a cell that does not hold what was declared. It
// says what it holds by kind only: it may be anybody's row.
func (c *cell) contradicts(holds any) error {
	return &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: %s is declared %s (null: %t) but holds %v", c.name, c.kind, c.null, holds)}
}
