package plan

import (
	"cmp"
	"encoding/hex"
	"errors"
	"strconv"

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

// Following are the values of the last row of a page by which the next one begins; nil if there is none. from are those by which this one
// began, or nil.
func (c *Collector) Following(from []value.Value) ([]value.Value, error) {
	if c.page == nil || c.page.rows <= c.page.size {
		return nil, nil
	}
	if from != nil && !c.later(from) { // a program that reads until the end would never end
		return nil, &fail.Error{Kind: fail.Internal, Err: errors.New("exosql: the last row of a page is not after the row that it began at")}
	}
	return c.page.last, nil
}

// later reports whether the last row comes after another one, as far as its values say it: of two texts, which a database
// sorts in many ways, and of two types it is enough that they differ.
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

// Held is a cell of SQLite in a cursor: a value where that is the same cell when it is bound, and else a list of one text, of which exo_cell
// makes the cell. Values are no bytes, no infinity, and no text with NUL or of invalid UTF-8.
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

// CellOf is the cell of such a text.
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
