package fence

import "slices"

// This file has what a judge returns: why an open statement is not run. form.go chooses the next form by it.

// Refused is why an open plan was not run: the engine's own plan reads rows out of scope,
// or is not understood. Nothing was handed to the collector.
type Refused struct{ Why error }

func (e *Refused) Error() string {
	return "exosql: the unfenced statement was refused: " + e.Why.Error()
}

// OutOfScope is why a plan is refused that reads rows out of the scope of some tables, named
// by their aliases.
type OutOfScope struct {
	Aliases []string
	Err     error // of the first

	// Scan says that the plan reads rows in scope only, and that the tables are read faster as
	// a whole: their scopes hold most of the rows.
	Scan bool
}

func (e *OutOfScope) Error() string { return e.Err.Error() }

// Add notes a table.
func (e *OutOfScope) Add(alias string, err error) {
	if e.Err == nil {
		e.Err = err
	}
	if !slices.Contains(e.Aliases, alias) {
		e.Aliases = append(e.Aliases, alias)
	}
}

// Reason is e, or nil if it has no table.
func (e *OutOfScope) Reason() error {
	if e.Err == nil {
		return nil
	}
	return e
}
