package fence

// This file has the three forms of a statement: the SQL of each, and the form that is tried after the judge refused one. Its
// input comes from the compiler, and its output goes to the judges.

import (
	"errors"
	"slices"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// Form is the form in which a statement is compiled. The zero Form is fenced.
type Form struct {
	Open   bool     // without fences
	Guards []string // of an open form: the aliases of tables with guarded conditions
	Scans  []string // the tables among Guards that are read as a whole, and not searched for their scope
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

// Next returns the open form to try after the judge refused one. It guards the conditions on tables of which the
// engine read rows out of scope, or which it reads faster as a whole. If ok is false, only the fenced form is left.
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

// Behind returns a condition guarded by a scope. No engine evaluates THEN before WHEN is true, and no index serves a condition inside CASE.
func Behind(scope, condition sqlast.Expr) sqlast.Expr {
	return sqlast.Call{Op: sqlast.Case, Args: []sqlast.Expr{scope, condition, sqlast.False}}
}

// Close makes a fence of a derived table. SQLite moves no condition into a subquery with a LIMIT and merges none
// with an OFFSET; PostgreSQL does neither with an OFFSET. PostgreSQL's security_barrier does the same for views.
func Close(sel *sqlast.Select) { sel.Offset = []sqlast.Expr{sqlast.Zero} }
