package plan

import (
	"strings"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// Write is the change that a plan makes in one table. The engine lets the statement change nothing else.
type Write struct {
	Table    string
	In       string // In is the schema of the table, "" if none is declared; Table may begin with it
	Insert   bool
	Rows     int      // Rows counts the rows that an insert adds
	Given    []string // Given are the columns of an insert
	Update   []string // Update are the columns of an update
	Delete   bool
	Labelled bool     // Labelled: the table or a column is labelled, so it may not show whether a new value differs from the old one
	Triggers []string // Triggers are the triggers that may act
	Cascades []Cascade
}

// Cascade is a foreign key that may carry the change to rows of a table, which may be the written table itself.
type Cascade struct {
	Table, Columns string // Columns is a list like "a, b"
}

// Path returns the table's name in the form that statements use.
func (w *Write) Path() string {
	if w.In == "" {
		return sqlname.Quote(w.Table)
	}
	return sqlname.Quote(w.In) + "." + sqlname.Quote(strings.TrimPrefix(w.Table, w.In+"."))
}
