package fence

// This file has Access, what Check learns from a plan; sqliteaccess.go and postgresaccess.go fill it.

// Access is how an engine would read one table of an open plan, one without fences.
type Access struct {
	Index    string // Index is an index by which the engine reads the table; "" if it reads the table as a whole
	Searched bool   // Searched: the index is searched by the column that Check asks about, with only columns of the scope before it
	Sorts    bool   // Sorts: all rows are read first, then sorted
	Ties     bool   // Ties: rows come in the order of the first columns, and only rows with equal values there are sorted
	Refused  error  // Refused is why the plan may not run, or nil: see Session.Query
}
