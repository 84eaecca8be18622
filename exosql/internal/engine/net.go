package engine

// This file calculates images from events: it adds rows that exist after an event and subtracts those that existed before it, in any order.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// Layout is a table in the form that its images show. Table, Columns and Key are as in Image.
type Layout struct {
	Table   schema.Name
	Columns []string
	Key     []int
	Fills   []int // Fills are the columns that the database fills with a new value each time, unless a statement gives one
}

// Net is the sum of events: each subtracts a row that existed before it, and adds a row that exists after it. A row that was changed and changed
// back adds nothing.
type Net struct {
	rows, bytes int // rows and bytes bound the images
	size        int // size counts the bytes of the remaining rows
	tables      map[schema.Name]*netTable
}

type netTable struct {
	*Layout
	rows map[string]*netRow // rows has the rows, by the text of all their cells
	born map[string]*netRow // born has new rows by their key, with the number of times that each was made (see Born)
}

type netRow struct {
	cells  []Cell
	n      int   // n is how many more such rows there are now than at the beginning; negative: fewer
	filled []int // filled has the columns for which the database chose the value
}

// slack is the factor by which a Net may temporarily exceed the bounds of its images, since it has a row once for each change of the row.
const slack = 4

// NewNet returns a Net for at most rows images, with at most bytes of text.
func NewNet(rows, bytes int) *Net {
	return &Net{rows: rows, bytes: bytes, tables: map[schema.Name]*netTable{}}
}

// Again returns a Net without rows that has the new rows noted by Born in n.
func (n *Net) Again() *Net {
	out := NewNet(n.rows, n.bytes)
	for _, t := range n.tables {
		out.table(t.Layout).born = t.born
	}
	return out
}

func (n *Net) table(l *Layout) *netTable {
	t := n.tables[l.Table]
	if t == nil {
		t = &netTable{Layout: l, rows: map[string]*netRow{}, born: map[string]*netRow{}}
		n.tables[l.Table] = t
	}
	return t
}

// Add adds a row if by is 1, or subtracts it if by is -1.
func (n *Net) Add(l *Layout, cells []Cell, by int) error {
	t, key := n.table(l), Identity(cells, nil)
	r := t.rows[key]
	if r == nil {
		r = &netRow{cells: cells}
		t.rows[key] = r
		n.size += len(key)
	}
	if r.n += by; r.n == 0 {
		delete(t.rows, key)
		n.size -= len(key)
	}
	if len(t.rows) > slack*n.rows+slack || n.size > slack*n.bytes+slack {
		return ErrTooManyImages
	}
	return nil
}

// Born notes that a statement made a new row and gave values to these columns. If several made rows with one key, a
// column counts as filled only if none of them gave it. Otherwise a program could choose a value that nothing compares.
func (n *Net) Born(l *Layout, cells []Cell, given []string) {
	var filled []int
	for _, i := range l.Fills {
		if !slices.ContainsFunc(given, func(g string) bool { return strings.EqualFold(g, l.Columns[i]) }) {
			filled = append(filled, i)
		}
	}
	t, key := n.table(l), Identity(cells, l.Key)
	if before := t.born[key]; before != nil {
		filled = slices.DeleteFunc(filled, func(i int) bool { return !slices.Contains(before.filled, i) })
	} else if len(t.born) > slack*n.rows {
		return // there are too many images, or the row is not among them
	}
	t.born[key] = &netRow{cells: cells, filled: filled}
}

// Images returns an image for each row that the events made, changed or deleted in sum, in sorted order. It fails with ErrTooManyImages
// beyond the limits of NewNet.
func (n *Net) Images() (out []Image, err error) {
	size := 0
	for _, t := range n.tables {
		at := map[string]int{} // at has the image of a deleted row, by its key
		add := func(im Image) {
			im.Table, im.Columns, im.Key = t.Table, t.Columns, t.Key
			out = append(out, im)
		}
		var left, came []*netRow
		for _, r := range t.rows {
			size += len(r.cells)
			for _, c := range r.cells {
				size += len(c.Text)
			}
			if r.n < 0 {
				left = append(left, r)
			} else {
				came = append(came, r)
			}
		}
		for _, r := range left {
			for range -r.n {
				add(Image{Before: r.cells})
			}
			if key, ok := t.key(r.cells); ok {
				at[key] = len(out) - 1
			}
		}
		for _, r := range came {
			if key, ok := t.key(r.cells); ok {
				if i, there := at[key]; there {
					out[i].After = r.cells
					continue
				}
			}
			for range r.n {
				add(Image{After: r.cells, Filled: t.filled(r.cells)})
			}
		}
	}
	if len(out) > n.rows || size > n.bytes {
		return nil, ErrTooManyImages
	}
	slices.SortFunc(out, compareImages)
	return out, nil
}

// key returns the text of a row's key, which the row has before and after a change. It returns false without a key, and for a key with NULL (SQLite).
func (t *netTable) key(cells []Cell) (string, bool) {
	if t.Key == nil || slices.ContainsFunc(t.Key, func(i int) bool { return cells[i].Null }) {
		return "", false
	}
	return Identity(cells, t.Key), true
}

// filled returns the columns of a new row with values that are still those that the database chose.
func (t *netTable) filled(cells []Cell) []int {
	b := t.born[Identity(cells, t.Key)]
	if b == nil {
		return nil
	}
	var out []int
	for _, i := range b.filled {
		if b.cells[i] == cells[i] {
			out = append(out, i)
		}
	}
	return out
}

// Identity encodes the cells at these indexes, or all cells if at is nil. Two lists have the same encoding only if they are equal.
func Identity(cells []Cell, at []int) string {
	var b strings.Builder
	one := func(c Cell) {
		if c.Null {
			b.WriteByte('n')
			return
		}
		b.WriteString(strconv.Itoa(len(c.Text)))
		b.WriteByte(':')
		b.WriteString(c.Text)
	}
	if at == nil {
		for _, c := range cells {
			one(c)
		}
	}
	for _, i := range at {
		one(cells[i])
	}
	return b.String()
}

func compareImages(a, b Image) int {
	if c := cmp.Or(cmp.Compare(a.Table.Schema, b.Table.Schema), cmp.Compare(a.Table.Name, b.Table.Name)); c != 0 {
		return c
	}
	x, y := a.row(), b.row()
	for _, i := range a.Key {
		if c := compareCells(x[i], y[i]); c != 0 {
			return c
		}
	}
	for i := range x {
		if c := compareCells(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.After), len(b.After))
}

func (im *Image) row() []Cell {
	if im.Before != nil {
		return im.Before
	}
	return im.After
}

// compareCells compares whole numbers as numbers, and all others as text.
func compareCells(a, b Cell) int {
	if a.Null != b.Null {
		if a.Null {
			return -1
		}
		return 1
	}
	m, errA := strconv.ParseInt(a.Text, 10, 64)
	n, errB := strconv.ParseInt(b.Text, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(m, n)
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a.Text, b.Text)
}
