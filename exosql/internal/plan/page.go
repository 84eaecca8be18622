package plan

import (
	"cmp"
	"encoding/hex"
	"strconv"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// MaxPage bounds the rows of a page, far above any budget. It is one less than the greatest limit.
const MaxPage = 1 << 30

// page keeps what a Collector needs for a cursor: the values of the page's last row. The statement returns one more
// row than was asked for, if there is one. That row is not part of the answer, but shows that there is a next page.
type page struct {
	size, rows int64
	shown      int           // shown counts the cells of a row that are part of the answer
	last       []value.Value // last has the other cells of the answer's last row
}

// hides reports whether cell number at of the current row is left out of the answer.
func (p *page) hides(at int) bool { return p != nil && (at >= p.shown || p.rows >= p.size) }

// take keeps a cell of the answer's last row that is not part of the answer, for the cursor.
func (p *page) take(at int, v value.Value) {
	if at >= p.shown && p.rows < p.size {
		p.last[at-p.shown] = v
	}
}

// Following returns the values of the page's last row, at which the next page begins, or nil after
// the last page. from are the values at which this page began; nil for the first page.
func (c *Collector) Following(from []value.Value) ([]value.Value, error) {
	if c.page == nil || c.page.rows <= c.page.size {
		return nil, nil
	}
	if from != nil && !c.later(from) { // otherwise a program that reads all pages might never end
		return nil, &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: the last row of a page does not follow the row before the page: an index of the database may be damaged, so run REINDEX")}
	}
	return c.page.last, nil
}

// later reports whether the last row comes after the row from, as far as the values show. Two
// texts, which databases sort in many ways, only need to differ, and so do values of two types.
func (c *Collector) later(from []value.Value) bool {
	for i, to := range c.page.last {
		cell, before := &c.cells[c.page.shown+i], from[i]
		if value.Equal(before, to) {
			continue
		}
		order := 0
		switch t := to.Type(); {
		case before.IsNull():
			order = 1
		case to.IsNull():
			order = -1
		case t != before.Type():
			return true
		case t == value.TypeInt:
			order = cmp.Compare(to.Int(), before.Int())
		case t == value.TypeFloat:
			order = cmp.Compare(to.Float(), before.Float())
		case t == value.TypeTime:
			order = to.Time().Compare(before.Time())
		default:
			return true
		}
		return order > 0 != cell.Desc
	}
	return false
}

// Held returns a cell of SQLite in a form for a cursor. If binding the cell's value gives the same cell, the form is that value. Otherwise the
// form is a list of one text, from which exo_cell makes the cell: for bytes, infinities, and texts with NUL or invalid UTF-8.
func Held(x any) (v value.Value) {
	as := ""
	switch x := x.(type) {
	case int64:
		return value.Int(x)
	case float64:
		v, as = value.Float(x), "f"+strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		v, as = value.Text(x), "t"+hex.EncodeToString([]byte(x))
	case []byte:
		as = "b" + hex.EncodeToString(x)
	}
	if v.IsZero() {
		v = value.List(value.Text(as))
	}
	return v
}

// CellOf returns the cell that Held wrote as text.
func CellOf(s string) any {
	if len(s) == 0 {
		return nil
	}
	b, _ := hex.DecodeString(s[1:])
	switch s[0] {
	case 'f':
		f, _ := strconv.ParseFloat(s[1:], 64)
		return f
	case 't':
		return string(b)
	}
	return b
}
