package decl

// Form is how a database holds the values of a column, as far as statements depend on it.
type Form struct {
	Type     string // as the database calls it; "": nobody knows
	Equality Equality
	// Collation is the collation of a column with WiderEquality: columns of one collation have one equality.
	Collation string
	Native    Native
	Numbers   bool   // SQLite takes what looks like a number in it for one: 1000, 1e3 and 1000.0 are equal
	Rounds    string // SQLite: the affinity of a column of decimals that makes numbers of texts, and so has them of some digits only
	Clean     bool   // SQLite: each cell is NULL or a value of the column's kind
	Indexed   bool   // an index has it
	Null      bool   // no rule keeps NULL out, whatever the declaration says
	Cast      bool   // an array of a type that an answer does not name, as of an enum: it is read as an array of Elem
}

// Native is the type of a column that is a text to programs and has another type in the database: an enum, inet, money, a range. The
// zero Native is a text.
type Native struct {
	Type    string // as the database calls it
	Ordered bool   // statements compare and sort it as it is: equal values have equal texts, and a value of the program becomes one of the type
	Extreme bool   // the database has min and max of it
	Sample  string // a value of it, of a type that is Ordered
	Address bool   // inet, whose cast to text is not what the database shows
}

// Text reports whether the type is a text.
func (n Native) Text() bool { return n == Native{} }
