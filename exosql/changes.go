package exosql

import (
	"encoding/json"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
)

// Changes are what a run changes in one database: the rows before its first write and as it leaves them.
// With [OpenOptions.Images] they are among the Details of the record's entry exo.Committing, that is
// before anything of it is final: a Recorder that fails then keeps the run from committing. They
// hold values of the database and are for the host; no program can learn of them.
type Changes struct {
	Rows []Change
	More int64 // how many more writes of rows there were, of which no image was kept
	// Effects are the triggers, rules and cascades that the facets of these rows permit, in the form of a grant file: rows that
	// one of them changed are not among the others.
	Effects []string
}

// Change is one row that a run changes. A row with the same values as before is left out, unless its facet shows a labelled column: then a
// missing row would reveal that a value was guessed. The values have the labels of their columns and of their table's rows.
type Change struct {
	Table  string        // the alias of the facet by which the row was changed
	Key    []value.Value // the values of the table's key columns, in the order of their declaration
	Before value.Value   // a record of what the facet shows, by the names of programs; the zero Value: the row is new
	After  value.Value   // the zero Value: the row is gone, or no row that the program may see any more
}

// AppendJSON writes the changes as a record keeps them.
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
