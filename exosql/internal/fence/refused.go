package fence

import "slices"

// This file has the errors of the judges: why an open statement does not run. form.go chooses the next form by them.

// Refused is the error of an open plan that did not run, because the engine's plan reads rows out
// of scope or is not understood. The collector got no row.
type Refused struct{ Why error }

func (e *Refused) Error() string {
	return "exosql: the faster form of the statement was not used: " + e.Why.Error()
}

// OutOfScope is the error of a plan that reads rows out of the scope of the tables with these
// aliases.
type OutOfScope struct {
	Aliases []string
	Err     error // Err is why the first of the tables was refused

	// Scan: the plan reads only rows in scope, but would read the tables faster as a whole, since most
	// of their rows are in scope.
	Scan bool
}

func (e *OutOfScope) Error() string { return e.Err.Error() }

// Add adds a table, with the reason why it was refused.
func (e *OutOfScope) Add(alias string, err error) {
	if e.Err == nil {
		e.Err = err
	}
	if !slices.Contains(e.Aliases, alias) {
		e.Aliases = append(e.Aliases, alias)
	}
}

// Reason returns e as an error, or nil if no table was added.
func (e *OutOfScope) Reason() error {
	if e.Err == nil {
		return nil
	}
	return e
}
