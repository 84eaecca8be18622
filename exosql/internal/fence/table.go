package fence

// This file has the tables that a judge looks for in a plan; the compiler lists them.

// Table is one table of a statement, with the conditions of its scope.
type Table struct {
	Name, Alias string
	Optional    bool       // Optional: a left join may find no row, so an engine need not read the table
	Scope       []Equality // Scope has all conditions; without any, every row is in scope

	// Gates are aliases of other tables. If one of them has no row, no row of this table is in scope.
	// PostgreSQL must check that before it reads this table.
	Gates []string

	// Guarded: each condition of the program on this table is in a CASE after the scope. So an engine
	// may read rows out of scope, but in no order that the program chose.
	Guarded bool
	Scanned bool    // Scanned: the guarded table is read as a whole, and not searched for its scope
	Links   []Match // Links are the columns that declared links to a guarded table compare
}

// Match is the condition of a declared link: Column equals the column Other of the table with this Alias.
type Match struct{ Column, Alias, Other string }

// Equality is one condition of a scope: the column has the grant's value, or one of a list of
// values. The statement's parameters in Params, counted from 1, have these values.
type Equality struct {
	Column string
	Params []int
	List   bool // List: the column has several values, so rows come grouped by them before any other order
}
