package decl

// Form is how a database stores the values of a column, as far as statements depend on it.
type Form struct {
	Type     string // its name in the database; "": unknown
	Equality Equality
	// Collation is the collation of a column with WiderEquality: columns with the same collation have the same equality.
	Collation string
	Native    Native
	Numbers   bool   // SQLite treats texts that look like numbers as numbers: 1000, 1e3 and 1000.0 are equal
	Rounds    string // SQLite: the affinity of a decimal column that turns texts into numbers, and so stores only some of their digits
	Clean     bool   // SQLite: each cell is NULL or a value of the column's kind
	Indexed   bool   // an index has the column
	Unique    bool   // the column is the primary key of its table
	Null      bool   // no rule of the database forbids NULL, whatever the declaration says
	Cast      bool   // an array of a type that an answer does not name, such as an enum: it is read as an array of Elem
}

// Native is the database type of a column that is a text to programs: an enum, inet, money, a
// range. The zero Native is a text.
type Native struct {
	Type    string // its name in the database
	Ordered bool   // statements compare and sort the column in this type: equal values have equal texts, and a program's value is converted to the type
	Extreme bool   // the database has min and max of the type
	Sample  string // a value of the type, if it is Ordered
	Address bool   // inet: its cast to text differs from the text that the database shows
}

// Text reports whether the type is a text.
func (n Native) Text() bool { return n == Native{} }
