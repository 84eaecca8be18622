package plan

import (
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// Rows describes the rows within a cell: those of a link, in the form that select shows. Each of
// their cells is decoded like a cell of the result, so a column has one type everywhere.
type Rows struct {
	Cells []Cell
	Shape *value.Shape
	One   bool // One: the cell is the one row, or null
	Bare  bool // Bare: each row is its one cell, without a record around it
}

// maxRows bounds the rows of a cell. sqlast.Nested has the same number.
const maxRows = 10_000

// TooManyRows is the error text for a list of rows that is too long.
const TooManyRows = "a list within a row has more than 10,000 rows, or more than 1 MiB: write .limit(n) after the link, or select fewer columns"

// ErrTooManyRows returns TooManyRows as an error.
func ErrTooManyRows() error { return fail.Errorf(fail.Limit, "", "%s", TooManyRows) }

// NestedRows takes the cells of the rows within one cell, in their order.
type NestedRows struct {
	of        *Rows
	misfit    *Misfits
	list, row []value.Value
	fields    []value.Field // fields collects the fields of the records that are being built
}

// Begin begins the rows of a cell. Their misfits (see misfit.go) are counted in m.
func (r *Rows) Begin(m *Misfits) *NestedRows { return &NestedRows{of: r, misfit: m} }

// Null takes NULL for the next cell, like Collector.Null.
func (n *NestedRows) Null() error {
	if err := n.misfit.undeclared(n.Next()); err != nil {
		return err
	}
	return n.Add(value.Null())
}

// Add takes the value of the next cell, like Collector.Add.
func (n *NestedRows) Add(v value.Value) error {
	if v.IsZero() {
		if v = n.misfit.null(n.Next()); v.IsZero() {
			return n.Next().Contradicts("a value that the type does not have")
		}
	}
	if n.row = append(n.row, v); len(n.row) < len(n.of.Cells) {
		return nil
	}
	if len(n.list) == maxRows {
		return ErrTooManyRows()
	}
	if !n.of.Bare {
		v, _ = n.record(n.of.Shape, n.row)
	}
	n.list, n.row = append(n.list, v), n.row[:0]
	return nil
}

// Misfits returns the counters that n adds to.
func (n *NestedRows) Misfits() *Misfits { return n.misfit }

// Next returns the description of the cell that the next value fills.
func (n *NestedRows) Next() *Cell { return &n.of.Cells[len(n.row)] }

// Whole reports whether the last row is complete.
func (n *NestedRows) Whole() bool { return len(n.row) == 0 }

// Value returns all rows as one value.
func (n *NestedRows) Value() value.Value {
	if !n.of.One {
		return value.List(n.list...)
	}
	if len(n.list) == 0 {
		return value.Null()
	}
	return n.list[0]
}

// record returns a row as a value.
func (n *NestedRows) record(s *value.Shape, cells []value.Value) (value.Value, []value.Value) {
	from := len(n.fields)
	for i, name := range s.Names {
		f := value.Field{Name: name}
		if sub := s.Sub(i); sub != nil {
			f.Value, cells = n.record(sub, cells)
		} else {
			f.Value, cells = cells[0], cells[1:]
		}
		n.fields = append(n.fields, f)
	}
	v := value.RecordValue(n.fields[from:]...) // RecordValue copies the fields
	n.fields = n.fields[:from]
	return v, cells
}

// keep copies the Rows for the cache, like Plan.Keep.
func (r *Rows) keep() (*Rows, int) {
	if r == nil {
		return nil, 0
	}
	k := &Rows{Cells: append([]Cell(nil), r.Cells...), One: r.One, Bare: r.Bare}
	shape, n := keepShape(r.Shape)
	k.Shape = shape
	return k, n + size[Rows]() + keepCells(k.Cells)
}

// keepCells copies the names in copied cells, and returns their bytes.
func keepCells(cells []Cell) (n int) {
	n = cap(cells) * size[Cell]()
	for i := range cells {
		cells[i].Name = strings.Clone(cells[i].Name)
		rows, more := cells[i].Rows.keep()
		cells[i].Rows = rows
		n += len(cells[i].Name) + more
	}
	return n
}
