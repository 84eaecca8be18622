package plan

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// MaxPage bounds a page, in rows. Budgets of rows are far below; it is one less than a limit may be.
const MaxPage = 1 << 30

// page is what a Collector takes besides the rows of a page: of the last one the values that a cursor is made of. The
// statement gives one row more than was asked for, if there is one; it is not shown, and says that the page has a next one.
type page struct {
	size, rows int64
	shown      int           // cells of a row that are shown
	last       []value.Value // the others of the last row that is
}

// hides reports whether cell number at of the present row is not shown.
func (p *page) hides(at int) bool { return p != nil && (at >= p.shown || p.rows >= p.size) }

// take notes a cell that is not shown.
func (p *page) take(at int, v value.Value) {
	if at >= p.shown && p.rows < p.size {
		p.last[at-p.shown] = v
	}
}

// Following are the values of the last row of a page by which the next one begins; nil if there is none.
func (c *Collector) Following() ([]value.Value, error) {
	if c.page == nil || c.page.rows <= c.page.size {
		return nil, nil
	}
	if slices.ContainsFunc(c.page.last, value.Value.IsZero) {
		return nil, fail.Errorf(fail.Invalid, "page", "can't go on in this order: the last row of the page holds bytes in a column that has none, and a cursor can't; order by another column")
	}
	return c.page.last, nil
}
