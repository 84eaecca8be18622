package fence

import "slices"

// This file has the error of a judge: why an open statement is not run. form.go uses the error to choose the next form.

// Refused is the error of an open plan that was not run: the engine's own plan reads rows out
// of scope, or is not understood. The collector got nothing.
type Refused struct{ Why error }

func (e *Refused) Error() string {
	return "exosql: the unfenced statement was refused: " + e.Why.Error()
}

// OutOfScope is the error of a plan that reads rows out of the scope of some tables, named by
// their aliases.
type OutOfScope struct {
	Aliases []string
	Err     error // why the first of the tables was refused

	// Scan: the plan reads only rows in scope, but the tables are read faster as a whole, since
	// most of their rows are in scope.
	Scan bool
}

func (e *OutOfScope) Error() string { return e.Err.Error() }

// Add notes a table and why it was refused.
func (e *OutOfScope) Add(alias string, err error) {
	if e.Err == nil {
		e.Err = err
	}
	if !slices.Contains(e.Aliases, alias) {
		e.Aliases = append(e.Aliases, alias)
	}
}

// Reason returns e, or nil if it has no table.
func (e *OutOfScope) Reason() error {
	if e.Err == nil {
		return nil
	}
	return e
}
