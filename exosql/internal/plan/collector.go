package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
)

// Collector takes the cells of a result as an engine decodes them, row by row in the order of
// the plan's cells. It spends the message's budget as they come, so a result that is too large
// is never in memory as a whole.
type Collector struct {
	Shape *value.Shape
	cells []Cell
	rows  *value.RowsBuilder
	made  *value.Rows
	m     *exo.Message // nil for the typed API, which has no budget
	at    int          // index of the next cell in its row
	n     int          // whole rows that are not spent yet
	size  int          // bytes that are not spent yet
	paid  int          // bytes of the next value that are spent already

	page *page  // nil: the result is no page
	own  *owned // the current row, if its values have readers; else nil

	misfits Misfits
}

func NewCollector(p *Plan, m *exo.Message) *Collector {
	shape := p.Shape.Clone() // the plan is shared by all tenants
	c := &Collector{Shape: shape, cells: p.Cells, rows: value.NewRowsBuilder(shape), m: m, own: newOwned(p)}
	if p.After > 0 {
		c.page = &page{size: math.MaxInt64, shown: len(p.Cells) - p.After, last: make([]value.Value, p.After)}
	}
	return c
}

// NewPageCollector is a Collector of a page of size rows.
func NewPageCollector(p *Plan, m *exo.Message, size int64) *Collector {
	c := NewCollector(p, m)
	c.page.size = min(size, MaxPage)
	return c
}

const (
	spendRows  = 64
	spendBytes = 64 << 10
)

// Count returns how many cells were taken.
func (c *Collector) Count() int {
	if c.rows == nil {
		return 0
	}
	if c.own != nil {
		return c.rows.Len() + len(c.own.row)
	}
	return c.rows.Len()
}

// Rows returns all rows that were taken. The collector is not used after it.
func (c *Collector) Rows() *value.Rows {
	if c.made == nil {
		c.made = c.rows.Rows()
	}
	return c.made
}

// Next returns the cell that the next value belongs to.
func (c *Collector) Next() *Cell { return &c.cells[c.at] }

// Null takes a NULL for the next cell. If none was declared, it is a misfit.
func (c *Collector) Null() error {
	if cell := c.Next(); cell.Sealed > 0 {
		return c.Add(value.Null())
	} else if cell.Collected {
		return fail.Errorf(fail.Limit, "", "%s", TooMany)
	} else if err := c.misfits.undeclared(cell); err != nil {
		return err
	}
	return c.Add(value.Null())
}

// Add takes the value of the next cell, of the declared kind. The zero Value means that the
// kind has no such value: a misfit, or the host's error.
func (c *Collector) Add(v value.Value) error {
	if of := c.Next(); of.Tally {
		if !c.page.hides(c.at) {
			c.misfits.add(of, int(v.Int()))
		}
		return c.took(0)
	} else if of.Sealed > 0 {
		v = sealed.Fit(v, of.Sealed)
	}
	if v.IsZero() {
		of := c.Next()
		if of.Misfits && c.page.hides(c.at) { // not a cell of the answer
			v, c.misfits.again = value.Null(), c.misfits.again || of.Again
		} else if v = c.misfits.null(of); v.IsZero() {
			return of.Contradicts("a value that the type does not have")
		}
	}
	if of := c.Next(); of.Rounded && v.Kind() == value.KindFloat && math.Abs(v.Float()) > scalar.SafeInteger {
		c.misfits.count(of)
	}
	switch {
	case c.page.hides(c.at):
		c.page.take(c.at, v)
	case c.own != nil:
		c.own.row = append(c.own.row, v)
		if len(c.own.row) == c.own.all {
			for _, v := range c.own.whole() {
				c.rows.Add(v)
			}
		}
	default:
		c.rows.Add(v)
	}
	return c.took(v.Bytes())
}

// AddRows is Add for a list of rows in the next cell. They count like rows of the result.
func (c *Collector) AddRows(v value.Value, rows int) error {
	c.n += rows
	return c.Add(v)
}

// Again reports whether the query has to be run once more: see Cell.Again.
func (c *Collector) Again() bool { return c.misfits.again }

// Misfits returns the counts of misfits, for rows within cells.
func (c *Collector) Misfits() *Misfits { return &c.misfits }

// AddText is Add for a text whose bytes the caller may overwrite afterwards.
func (c *Collector) AddText(s []byte) error {
	if c.page.hides(c.at) || c.own != nil || c.Next().Sealed > 0 {
		return c.Add(value.Text(string(s)))
	}
	if !c.rows.AddText(s) {
		return c.Add(value.Value{})
	}
	return c.took(value.TextBytes(len(s)))
}

// took counts a value of size bytes.
func (c *Collector) took(size int) error {
	if s := c.Next().Sealed; s > 0 {
		size = s
	}
	c.size += max(0, size-c.paid)
	c.paid = 0
	if c.at++; c.at == len(c.cells) {
		c.at = 0
		c.n++
		if c.page != nil {
			c.page.rows++
		}
	}
	if c.n >= spendRows || c.size > spendBytes { // also within a row, since rows may be wide
		return c.spend()
	}
	return nil
}

// Afford spends a large cell before it is copied. Otherwise a cell beyond the budget would be
// in memory twice before it is refused.
func (c *Collector) Afford(size int) error {
	if size <= spendBytes || c.m == nil || c.Next().Sealed > 0 {
		return nil
	}
	c.paid = size
	return c.m.Spend(0, size)
}

func (c *Collector) spend() error {
	n, size := c.n, c.size
	c.n, c.size = 0, 0
	if c.m == nil || n == 0 && size == 0 {
		return nil
	}
	return c.m.Spend(n, size)
}

// End spends the rest of the budget; the last row must be complete.
func (c *Collector) End() error {
	if c.at != 0 {
		return errors.New("exosql: a row has fewer cells than its plan")
	}
	c.misfits.notice(c.m)
	return c.spend()
}

// Unreadable takes a cell that contradicts its declaration.
func (c *Collector) Unreadable(holds any) error {
	if cell := c.Next(); cell.Sealed == 0 && !cell.Misfits {
		return cell.Contradicts(holds)
	}
	return c.Add(value.Value{})
}

// Contradicts returns the error of a cell that contradicts its declaration. It names the kind
// that was found and no value, since the row may be another tenant's.
func (c *Cell) Contradicts(holds any) error {
	way := ""
	if cellform.Of(c.Kind) != nil {
		way = "; if another program writes the column in a form of its own, like " + cellform.Texts(cellform.Of(c.Kind)) + ", declare which: Stored in Go, `stored` in a grant file"
	}
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: %s is declared %s (null: %t) but holds %v%s", c.Name, c.Kind, c.Null, holds, way)}
}
