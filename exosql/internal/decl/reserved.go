package decl

import (
	"fmt"
	"strings"
)

// MarksTable is the table in which runs leave their IDs: see exosql.OpenOptions.Witness.
const MarksTable = "exo_runs"

// Reserved says why a table can't be declared, or nil. A program that could write the marks of runs would say of another
// run that it was kept, or keep it from being kept.
func Reserved(name string) error {
	if strings.EqualFold(name, MarksTable) { // SQLite takes them for one
		return fmt.Errorf("the table %s holds the marks of runs, and can't be declared: no program may reach it", MarksTable)
	}
	return nil
}
