package fence

// This file has the tables that a judge looks for in a plan. The compiler lists them.

// Table is one table of a statement, with the scope of its rows.
type Table struct {
	Name, Alias string
	Optional    bool       // its row may be missing, by a left join: an engine need not read it
	Scope       []Equality // the whole scope; none: every row is in scope

	// Gates are aliases of other tables. Unless each of them has a row, no row of this table is in
	// scope. PostgreSQL must check that before it reads this table.
	Gates []string

	// Guarded: each condition of the program on this table is in a CASE, after the scope. An
	// engine may then read rows out of scope, but in no order that the program chose.
	Guarded bool
	Scanned bool    // of a guarded table: it is read as a whole, and not searched for its scope
	Links   []Match // of a guarded table: the columns that a declared link to it compares
}

// Match is the condition of a declared link: Column equals the column Other of the table with Alias.
type Match struct{ Column, Alias, Other string }

// Equality is one condition of a scope: the column has the value of the grant, or one of its
// list of values. The values are bound to the placeholders in Params, counted from 1.
type Equality struct {
	Column string
	Params []int
	List   bool // the column has several values: rows come grouped by them, before any other order
}
