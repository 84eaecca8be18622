package plan

import (
	"errors"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
)

// Collector takes the cells of a result while an engine decodes them, row by row, in the order of
// the plan's cells. It spends the message's budget as they come, so that a result that is too large
// is never in memory as a whole.
type Collector struct {
	Shape *value.Shape
	cells []Cell
	rows  *value.RowsBuilder
	made  *value.Rows
	m     *exo.Message // m is nil for the typed API, which has no budget
	at    int          // at is the index of the next cell in its row
	n     int          // n counts whole rows for which no budget is spent yet
	size  int          // size counts bytes for which no budget is spent yet
	paid  int          // paid counts bytes of the next value for which budget is spent already

	page *page  // page is nil if the result is no page
	own  *owned // own is the current row if its values have readers; otherwise nil

	misfits Misfits
}

func NewCollector(p *Plan, m *exo.Message) *Collector {
	shape := p.Shape.Clone() // all tenants share the plan, so its shape is copied
	c := &Collector{Shape: shape, cells: p.Cells, rows: value.NewRowsBuilder(shape), m: m, own: newOwned(p)}
	if p.After > 0 {
		c.page = &page{size: math.MaxInt64, shown: len(p.Cells) - p.After, last: make([]value.Value, p.After)}
	}
	return c
}

// NewPageCollector returns a Collector for a page of size rows.
func NewPageCollector(p *Plan, m *exo.Message, size int64) *Collector {
	c := NewCollector(p, m)
	c.page.size = min(size, MaxPage)
	return c
}

// NewBoundedCollector returns a Collector for the host, which spends no budget. It drops all rows after the first most.
func NewBoundedCollector(p *Plan, most int) *Collector {
	c := NewCollector(p, nil)
	c.page = &page{size: int64(most), shown: len(p.Cells)}
	return c
}

const (
	spendRows  = 64
	spendBytes = 64 << 10
)

// Count returns the number of cells that were taken.
func (c *Collector) Count() int {
	if c.rows == nil {
		return 0
	}
	if c.own != nil {
		return c.rows.Len() + len(c.own.row)
	}
	return c.rows.Len()
}

// Rows returns all rows that were taken. The Collector can't be used afterwards.
func (c *Collector) Rows() *value.Rows {
	if c.made == nil {
		c.made = c.rows.Rows()
	}
	return c.made
}

// Next returns the description of the cell that the next value fills.
func (c *Collector) Next() *Cell { return &c.cells[c.at] }

// Null takes NULL for the next cell. If the cell is declared as not null, the NULL is a misfit: see misfit.go.
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

// Add takes the value of the next cell, which has the declared kind. The zero Value means a cell
// that is no value of the kind: a misfit, or an error for the host.
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
		if of.Misfits && c.page.hides(c.at) { // the cell is not part of the answer
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

// AddRows takes a list of rows for the next cell. They count like rows of the result.
func (c *Collector) AddRows(v value.Value, rows int) error {
	c.n += rows
	return c.Add(v)
}

// Again reports whether the query must run again: see Cell.Again.
func (c *Collector) Again() bool { return c.misfits.again }

// Misfits returns the counters of misfits, for the rows within cells.
func (c *Collector) Misfits() *Misfits { return &c.misfits }

// AddText takes a text for the next cell. The caller may overwrite the bytes of s afterwards.
func (c *Collector) AddText(s []byte) error {
	if c.page.hides(c.at) || c.own != nil || c.Next().Sealed > 0 {
		return c.Add(value.Text(string(s)))
	}
	if !c.rows.AddText(s) {
		return c.Add(value.Value{})
	}
	return c.took(value.TextBytes(len(s)))
}

// took counts a value of size bytes, and spends the budget from time to time.
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
	if c.n >= spendRows || c.size > spendBytes { // this may happen within a row, since rows may be wide
		return c.spend()
	}
	return nil
}

// Afford spends the budget for a large cell before the cell is copied. Otherwise a cell beyond the
// budget would be in memory twice before it is refused.
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

// End spends the budget for all that was counted and is not spent yet. The last row must be complete.
func (c *Collector) End() error {
	if c.at != 0 {
		return errors.New("exosql: a row has fewer cells than its plan, so there is no answer: this is a fault of exosql, please report it")
	}
	c.misfits.notice(c.m)
	return c.spend()
}

// Unreadable takes a cell that contradicts its declaration: a misfit, or an error for the host.
func (c *Collector) Unreadable(holds string) error {
	if cell := c.Next(); cell.Sealed == 0 && !cell.Misfits {
		return cell.Contradicts(holds)
	}
	return c.Add(value.Value{})
}

// Contradicts returns the error for a cell that contradicts its declaration. It names the kind that
// was found but no value, since the row may be another tenant's.
func (c *Cell) Contradicts(holds string) error {
	way := "declare the type of its values"
	if holds == "NULL" {
		way = "declare it with NewNullable"
	} else if cellform.Of(c.Kind) != nil {
		way += "; if another program writes the column in a form of its own, like " + cellform.Texts(cellform.Of(c.Kind)) + ", declare the form: Stored in Go, `stored` in a grant file"
	}
	return &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: %s is declared %s (NULL allowed: %s), but contains %s: %s", c.Name, c.Kind, strconv.FormatBool(c.Null), holds, way)}
}
