package fence

// This file has what Check reads from a plan; sqliteaccess.go and postgresaccess.go read it.

// Access is how an engine would read one table of an open plan.
type Access struct {
	Index    string // "" if it reads the table as a whole, or by several indexes
	Searched bool   // the index is searched by the column that was asked for, with only columns of the scope before it
	Sorts    bool   // all rows are read first, then sorted
	Ties     bool   // rows come in order of the first columns; only rows with equal values are read together and sorted
	Refused  error  // why the plan may not run, or nil: see Session.Query
}
