package decl

import (
	"fmt"
	"strings"
)

// MarksTable is the table into which runs insert their IDs: see exosql.OpenOptions.Witness.
const MarksTable = "exo_runs"

// UndoTable is the table that keeps what runs change: see exosql.OpenOptions.Undo.
const UndoTable = "exo_undo"

// Reserved returns why a table of this name can't be declared, or nil if it can. A program that could
// write the marks of runs could forge that another run was kept, or prevent its commit.
func Reserved(name string) error {
	if strings.EqualFold(name, MarksTable) { // SQLite ignores the case of names
		return fmt.Errorf("the table %s keeps which runs were committed, so no program may reach it: leave out its declaration", MarksTable)
	}
	if strings.EqualFold(name, UndoTable) {
		return fmt.Errorf("the table %s keeps what runs have changed, so no program may reach it: leave out its declaration", UndoTable)
	}
	return nil
}
