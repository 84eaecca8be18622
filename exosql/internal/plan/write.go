package plan

import (
	"strings"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// Write is what a plan changes in one table: nothing else is admitted by the engine's wall.
type Write struct {
	Table    string
	In       string // the schema of Table, with which its name may begin, or ""
	Insert   bool
	Rows     int      // that an insert adds
	Given    []string // the columns of an insert
	Update   []string // the columns
	Delete   bool
	Labelled bool     // a column of the table is, or its rows: whether a value is another than before must not show
	Triggers []string // that may act
	Cascades []Cascade
}

// Cascade is a foreign key that may carry the change to the rows of a table, which may be the table that is written.
type Cascade struct {
	Table, Columns string // the columns as a list: "a, b"
}

// Path is the table as a statement names it.
func (w *Write) Path() string {
	if w.In == "" {
		return sqlname.Quote(w.Table)
	}
	return sqlname.Quote(w.In) + "." + sqlname.Quote(strings.TrimPrefix(w.Table, w.In+"."))
}
