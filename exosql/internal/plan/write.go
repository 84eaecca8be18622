package plan

import (
	"strings"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// Write is what a plan changes in one table. The engine lets the statement change nothing else.
type Write struct {
	Table    string
	In       string // the schema of Table, which may be the beginning of Table, or ""
	Insert   bool
	Rows     int      // how many rows an insert adds
	Given    []string // the columns of an insert
	Update   []string // the columns of an update
	Delete   bool
	Labelled bool     // the table, or a column, is labelled: then no one may learn whether a new value differs from the old one
	Triggers []string // triggers that may act
	Cascades []Cascade
}

// Cascade is a foreign key that may carry the change to rows of a table, which may be the written table itself.
type Cascade struct {
	Table, Columns string // the columns as a list: "a, b"
}

// Path returns the table's name as a statement writes it.
func (w *Write) Path() string {
	if w.In == "" {
		return sqlname.Quote(w.Table)
	}
	return sqlname.Quote(w.In) + "." + sqlname.Quote(strings.TrimPrefix(w.Table, w.In+"."))
}
