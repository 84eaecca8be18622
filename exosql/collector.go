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
	shape *exo.Shape
	cells []cell
	page  []exo.Value   // being filled
	full  [][]exo.Value // those before it: one long slice that grows would copy each cell several times
	m     *exo.Message  // nil for the typed API, which has no budget
	at    int           // index of the next cell in its row
	n     int           // whole rows that are not spent yet
	size  int           // bytes that are not spent yet
	paid  int           // bytes of the next value that are spent already
}

func newCollector(p *plan, m *exo.Message) *collector {
	return &collector{shape: p.shape.Clone(), cells: p.cells, m: m} // the plan is shared by all tenants
}

const (
	spendRows  = 64
	spendBytes = 64 << 10
	firstPage  = 8   // rows
	maxPage    = 512 // cells, unless a row has more
)

// count is how many cells were taken.
func (c *collector) count() int {
	n := len(c.page)
	for _, p := range c.full {
		n += len(p)
	}
	return n
}

// rows are all that was taken. The collector is not used any more.
func (c *collector) rows() *exo.Rows {
	if c.full == nil {
		return &exo.Rows{Shape: c.shape, Cells: c.page}
	}
	return &exo.Rows{Shape: c.shape, Cells: slices.Concat(append(c.full, c.page)...)}
}

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
	if v.IsZero() {
		return c.next().contradicts("what no value can be")
	}
	if len(c.page) == cap(c.page) {
		if c.page != nil {
			c.full = append(c.full, c.page)
		}
		c.page = make([]exo.Value, 0, max(min(2*cap(c.page), maxPage), firstPage*len(c.cells)))
	}
	c.page = append(c.page, v)
	c.size += max(0, v.Bytes()-c.paid)
	c.paid = 0
	if c.at++; c.at == len(c.cells) {
		c.at = 0
		c.n++
	}
	if c.n == spendRows || c.size > spendBytes { // wide rows: not only between them
		return c.spend()
	}
	return nil
}

// afford spends a large cell before it is copied: one that the budget does not have
// room for would be held twice, and then refused.
func (c *collector) afford(size int) error {
	if size <= spendBytes || c.m == nil {
		return nil
	}
	c.paid = size
	return c.m.Spend(0, size)
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
