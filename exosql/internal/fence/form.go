package fence

// This file has the three forms of a statement: how each reads in SQL, and which is tried after one that the judge refused. The
// compiler comes before it, and the judges after it.

import (
	"errors"
	"slices"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// Form is the form in which a statement is compiled. The zero Form is the fenced one.
type Form struct {
	Open   bool     // without fences
	Guards []string // of an open one: the aliases of the tables whose conditions are guarded
	Scans  []string // those of Guards that are read as a whole, and not searched for their scope
}

// AppendKey adds the form to the key of a plan.
func (f Form) AppendKey(key []byte) []byte {
	for _, alias := range f.Guards {
		key = append(append(key, alias...), ' ')
		if slices.Contains(f.Scans, alias) {
			key = append(key, "scanned "...)
		}
	}
	return key
}

// Next is the open form to try after one with these tables was refused: conditions on the tables of which the engine reads rows out of
// scope, or reads faster as a whole, are guarded in it. After false only the fenced form is left.
func Next(tables []Table, why error) (f Form, ok bool) {
	wide, ok := errors.AsType[*OutOfScope](why)
	if !ok {
		return Form{}, false
	}
	f.Open = true
	for _, t := range tables {
		again := slices.Contains(wide.Aliases, t.Alias)
		if again && (t.Scanned || t.Guarded && !wide.Scan) {
			return Form{}, false
		}
		if !t.Guarded && !again {
			continue
		}
		f.Guards = append(f.Guards, t.Alias)
		if t.Scanned || again && wide.Scan {
			f.Scans = append(f.Scans, t.Alias)
		}
	}
	return f, true
}

// Behind is a condition behind a scope. No engine enters THEN before WHEN holds, and no index serves what is in a CASE.
func Behind(scope, condition sqlast.Expr) sqlast.Expr {
	return sqlast.Call{Op: sqlast.Case, Args: []sqlast.Expr{scope, condition, sqlast.False}}
}

// Close makes a fence of a derived table: SQLite moves no condition into a subquery with a LIMIT and flattens none with an OFFSET,
// PostgreSQL does neither with an OFFSET. It is what PostgreSQL's security_barrier is for views.
func Close(sel *sqlast.Select) { sel.Offset = []sqlast.Expr{sqlast.Zero} }
