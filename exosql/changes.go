package exosql

import (
	"encoding/json"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
)

// Changes lists the rows that one run changed in one database, before the run's first write and after its last. If [OpenOptions.Images] is set,
// they are among the Details of the record's entry exo.Committing. The host can still stop the commit then: a Recorder that returns an error does.
// Changes contain values of the database and are for the host; programs never see them.
type Changes struct {
	Rows []Change
	More int64 // how many further writes of rows there were, without an image
	// Effects are the triggers, rules and cascades that the facets of these rows permit, in the form of a grant file. Rows has no rows that only
	// such an effect changed.
	Effects []string
}

// Change is one row that a run changed. A row with the same values as before is left out, unless its facet shows a labelled column: then a missing
// row would reveal that the program guessed the value. The values have the labels of their columns and of their table's rows.
type Change struct {
	Table  string        // the alias of the facet through which the row was changed
	Key    []value.Value // the values of the table's key columns, in the order of their declaration
	Before value.Value   // a record of the facet's columns, under their names in programs; the zero Value: the row is new
	After  value.Value   // like Before; the zero Value: the row was deleted, or the program may no longer see it
}

// AppendJSON writes the changes in the form of the record.
func (c Changes) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, `{"changes":[`...)
	var err error
	for i, r := range c.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = value.Text(r.Table).AppendJSON(append(b, `{"table":`...)); err != nil {
			return b, err
		}
		for _, of := range []struct {
			name string
			row  value.Value
		}{{"key", value.List(r.Key...)}, {"before", r.Before}, {"after", r.After}} {
			if of.row.IsZero() {
				continue
			}
			if b, err = of.row.AppendJSON(append(append(b, `,"`+of.name...), `":`...)); err != nil {
				return b, err
			}
		}
		b = append(b, '}')
	}
	b = strconv.AppendInt(append(b, `],"more":`...), c.More, 10)
	if len(c.Effects) > 0 {
		effects, err := json.Marshal(c.Effects)
		if err != nil {
			return b, err
		}
		b = append(append(b, `,"effects":`...), effects...)
	}
	return append(b, '}'), nil
}

// MarshalJSON implements json.Marshaler.
func (c Changes) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil) }

func changesOf(rows []answer.Change, more int64, effects []string) any {
	out := Changes{More: more, Effects: effects}
	for _, r := range rows {
		out.Rows = append(out.Rows, Change(r))
	}
	return out
}
