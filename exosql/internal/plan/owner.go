package plan

import (
	"slices"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
)

// Owner identifies who may read a sealed cell. The ids are in extra cells of the same row, after the visible ones.
type Owner struct {
	Kind  string   // Kind is the kind of the principals with these ids
	Tags  []string // Tags are the column's tags, without readers
	Cells []int    // Cells are the places of the ids in the row
}

// maxReaderID bounds the bytes of an id in a tag.
const maxReaderID = 200

// label returns the label of a value, with the ids in its row. It is empty for an id that is NULL,
// empty or too long: the value then has only its column's label (TestDynamicReaders).
func (o *Owner) label(row []value.Value) value.Label {
	ids := make([]string, len(o.Cells))
	for i, at := range o.Cells {
		switch v := row[at]; v.Type() {
		case value.TypeInt:
			ids[i] = strconv.FormatInt(v.Int(), 10)
		case value.TypeText:
			ids[i] = v.Text()
		}
		if len(ids[i]) > maxReaderID {
			return value.Label{}
		}
	}
	var tags []string
	for _, t := range o.Tags {
		if tag, err := value.ReaderTag(t, o.Kind, ids...); err == nil {
			tags = append(tags, tag)
		}
	}
	return value.NewLabel(tags...)
}

// owned is the current row of a Collector, which is kept until the ids in it are known.
type owned struct {
	cells []Cell
	shown int // shown counts the cells of a row that are part of the answer
	all   int // all counts the shown cells and the cells with ids
	row   []value.Value
}

// newOwned returns nil if no value of a row has readers.
func newOwned(p *Plan) *owned {
	if !slices.ContainsFunc(p.Cells, func(c Cell) bool { return c.Owner != nil }) {
		return nil
	}
	all := len(p.Cells) - p.After - p.Tallies
	return &owned{cells: p.Cells, shown: all - p.Owners, all: all}
}

// whole returns the cells of a row that are part of the answer, each labelled with its readers, and begins the next row.
func (o *owned) whole() []value.Value {
	row := o.row
	for i := range row[:o.shown] {
		if by := o.cells[i].Owner; by != nil && o.cells[i].Sealed > 0 {
			row[i] = row[i].WithLabel(by.label(row))
		}
	}
	o.row = o.row[:0]
	return row[:o.shown]
}
