package fence

// This file has what a judge has to find in a plan. The compiler writes it down.

// Table is one table of a statement, with the scope of its rows.
type Table struct {
	Name, Alias string
	Optional    bool       // it is joined so that it may be missing: an engine need not read it
	Scope       []Equality // the whole scope; none: every row is in scope

	// Gates are the aliases of tables of which a row has to be there, for any row of this one
	// to be in scope. PostgreSQL looks before it reads this one.
	Gates []string

	// Guarded says that each condition of the program on this table stands behind the
	// scope, in a CASE. An engine may then read rows out of scope, as long as it
	// does so in no order that the program chose.
	Guarded bool
	Scanned bool    // of a guarded table: it is read as a whole, and not searched for its scope
	Links   []Match // the columns by which a declared link joins it, of a guarded table
}

// Match is the condition of a declared link: the column equals that of the source with the alias.
type Match struct{ Column, Alias, Other string }

// Equality is one condition of a scope: the column has the value of the grant, or one of a list of
// them, that is bound to one of these placeholders, counted from 1.
type Equality struct {
	Column string
	Params []int
	List   bool // of several values: rows with one come before those with the next, whatever else they are sorted by
}
