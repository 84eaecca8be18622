package exosql

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Changes lists the rows that one run changed in one database, before the run's first write and after its last. If [OpenOptions.Images] is set,
// they are among the Details of the record's entry exo.Committing. The host can still stop the commit then: a Recorder that returns an error does.
// Changes contain values of the database and are for the host; programs never see them.
type Changes struct {
	Rows []Change
	More int64 // More counts the writes beyond OpenOptions.Images, with rows that are not in Rows
	// Effects are the triggers, rules and cascades that the facets of these rows permit, in the form of a grant file. Rows has no rows that only
	// such an effect changed.
	Effects []string

	asks   []changeset.Ask
	review func(context.Context) (changeset.Part, error)
}

var _ changeset.Lister = Changes{}

// Asks implements changeset.Lister. It returns the approvals that the facets' rules demand: see [Facet.Approve].
func (c Changes) Asks() []changeset.Ask { return c.asks }

// Changes implements changeset.Lister. It works only before the commit.
func (c Changes) Changes(ctx context.Context) (changeset.Part, error) {
	if c.review == nil {
		return changeset.Part{}, errors.New("exosql: Changes.Changes works only before the commit: call it while the run waits for its review")
	}
	return c.review(ctx)
}

// Approval is a rule that requires a person's approval of a change before it is kept: see [Facet.Approve] and exo/review.
type Approval struct{ a decl.Approval }

// ApproveAlways asks for approval of every change of the table.
func ApproveAlways() Approval { return Approval{decl.Approval{Always: true}} }

// ApproveAbove asks for approval if a principal has changed more than this many rows of the table in a day (UTC), the run's included.
func ApproveAbove(rows int64) Approval { return Approval{decl.Approval{Counted: true, Over: rows}} }

// ApproveDeletes asks for approval of every delete.
func ApproveDeletes() Approval { return Approval{decl.Approval{Delete: true}} }

// ApproveColumns asks for approval of every insert and update that gives one of these columns. The facet must show them.
func ApproveColumns[T any](columns ...Member[T]) Approval {
	a := decl.Approval{}
	for _, m := range columns {
		var col *decl.Column // for a link col stays nil, which Approve refuses
		if c, ok := m.(interface{ core() *decl.Column }); ok {
			col = c.core()
		}
		a.Columns = append(a.Columns, col)
	}
	return Approval{a}
}

// From decides who may approve: see changeset.Who. By default that is anyone at a terminal, and on a page anyone but the run's principal.
func (a Approval) From(who changeset.Who) Approval {
	a.a.Who = who
	return a
}

// Change is one row that a run changed. A row with the same values as before is left out, unless its facet shows a labelled column. There a
// missing row would reveal that the program guessed the value. The values have the labels of their columns and of their table's rows.
type Change struct {
	Table  string        // Table is the alias of the facet through which the row was changed
	Key    []value.Value // Key has the values of the table's key columns, in the order of their declaration
	Before value.Value   // Before is a record of the facet's columns, under their names in programs; the zero Value if the row is new
	After  value.Value   // After is like Before; the zero Value if the row was deleted or the program may no longer see it
}

// AppendJSON appends the changes as JSON to b, in the form that the record has.
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

func changesOf(l answer.Listed) any {
	out := Changes{More: l.More, Effects: l.Effects, asks: l.Asks, review: l.Review}
	for _, r := range l.Rows {
		out.Rows = append(out.Rows, Change(r))
	}
	return out
}
