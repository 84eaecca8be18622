package fence

// This file has what Check reads from a plan; sqliteaccess.go and postgresaccess.go read it.

// Access is how an engine would read one table of an open plan.
type Access struct {
	Index    string // "" if it reads the table as a whole, or by several indexes
	Searched bool   // the index is searched by the column that was asked for, and by no more than the scope before it
	Sorts    bool   // rows are sorted after they were read, and all of them are read first
	Ties     bool   // rows that come in order are sorted where they have the same value: those with one value are read first
	Refused  error  // why the plan is not run, or nil: see Session.Query
}
