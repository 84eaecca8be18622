package fence

// This file has the three forms of a statement: their SQL, and the next form to try after the judge refused one.

import (
	"errors"
	"slices"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// Form is the form in which a statement is compiled: see the package comment. The zero Form has fences.
type Form struct {
	Open   bool     // Open: the statement has no fences
	Guards []string // Guards are aliases of tables with guarded conditions, in an open form
	Scans  []string // Scans are the tables among Guards that are read as a whole, and not searched for their scope
}

// AppendKey appends the form to the key of a plan.
func (f Form) AppendKey(key []byte) []byte {
	for _, alias := range f.Guards {
		key = append(append(key, alias...), ' ')
		if slices.Contains(f.Scans, alias) {
			key = append(key, "scanned "...)
		}
	}
	return key
}

// Next returns the open form to try after the judge refused one. It guards conditions on tables that the engine
// reads out of scope, or that it reads faster as a whole. If ok is false, only the fenced form remains.
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

// Behind returns a condition inside CASE WHEN scope THEN. No engine evaluates THEN before WHEN is true, and no index serves a condition inside CASE.
func Behind(scope, condition sqlast.Expr) sqlast.Expr {
	return sqlast.Call{Op: sqlast.Case, Args: []sqlast.Expr{scope, condition, sqlast.False}}
}

// Close makes a derived table a fence. SQLite moves no condition into a subquery with a LIMIT, and merges no subquery
// with an OFFSET into its query. PostgreSQL does neither if there is an OFFSET, as with its security_barrier for views.
func Close(sel *sqlast.Select) { sel.Offset = []sqlast.Expr{sqlast.Zero} }
