package engine

// Access is how an engine would read one table of an open plan.
type Access struct {
	Index    string // "" if it reads the table as a whole, or by several indexes
	Searched bool   // the column that was asked for is among those that the index is searched by
	Sorts    bool   // rows are sorted after they were read, and all of them are read first
	Refused  error  // why the plan is not run, or nil: see Session.Query
}
