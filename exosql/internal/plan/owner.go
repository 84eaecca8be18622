package plan

import (
	"slices"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
)

// Owner says whose the value of a cell is that programs are shown sealed: by cells of the row behind those that are shown.
type Owner struct {
	Kind  string   // of the principals whose ids they are
	Tags  []string // of the column, without readers
	Cells []int    // of the row
}

// maxReaderID bounds an id in a tag, in bytes.
const maxReaderID = 200

// label is what the value is labelled in whose row the ids are these. It is none for an id that is NULL, empty or too long for a
// label: the value then has only the label of its column (TestDynamicReaders).
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

// owned is the row that a Collector takes, kept until it is known whose its values are.
type owned struct {
	cells []Cell
	shown int // cells of a row that are shown
	all   int // and those that say whose they are
	row   []value.Value
}

// newOwned is nil where no value of a row is anybody's.
func newOwned(p *Plan) *owned {
	if !slices.ContainsFunc(p.Cells, func(c Cell) bool { return c.Owner != nil }) {
		return nil
	}
	all := len(p.Cells) - p.After - p.Tallies
	return &owned{cells: p.Cells, shown: all - p.Owners, all: all}
}

// whole are the cells of a row that are shown, each with its readers. The next row begins.
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
