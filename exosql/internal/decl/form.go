package decl

// Form is how a database stores the values of a column. It has only what statements depend on.
type Form struct {
	Type     string // Type is the type's name in the database; "" if unknown
	Equality Equality
	// Collation is the collation of a column with WiderEquality: columns with one collation have one equality.
	Collation string
	Native    Native
	Numbers   bool   // Numbers: SQLite compares texts that look like numbers as numbers, so 1000, 1e3 and 1000.0 are equal
	Rounds    string // Rounds is the affinity with which SQLite turns a decimal column's texts into numbers, and so loses digits
	Clean     bool   // Clean: on SQLite, each cell is NULL or a value of the column's kind
	Indexed   bool   // Indexed: an index includes the column
	Unique    bool   // Unique: the column is the primary key of its table
	Affinity  string // Affinity is the SQLite affinity of the column, by which it converts values before it compares them
	Null      bool   // Null: no rule of the database forbids NULL, whatever the declaration is
	Cast      bool   // Cast: an array is read as an array of Elem, since the engine does not recognize its type, like an array of an enum
}

// OneFor reports whether at most one row of SQLite has a key of this form that equals a value of the other form. A number equals
// several texts, such as '1' and '1.0', and a TEXT key may have both. The other column's collation may equal 'a' and 'A'.
func (f Form) OneFor(other Form) bool {
	if !f.Unique || other.Equality != ExactEquality {
		return false
	}
	return f.Affinity == "INTEGER" || f.Affinity == "REAL" || f.Affinity == "NUMERIC" || f.Affinity == other.Affinity
}

// Native is the database's type of a column that is text for programs, like an enum, inet, money or
// a range. The zero Native is a text.
type Native struct {
	Type    string // Type is the type's name in the database
	Ordered bool   // Ordered: statements compare and sort the column in this type. Equal values have equal texts, and a program's values are converted to the type
	Extreme bool   // Extreme: the database has min and max for the type
	Sample  string // Sample is a value of the type, if it is Ordered
	Address bool   // Address: the type is inet, and its cast to text differs from the text that the database shows
}

// Text reports whether the type is a text.
func (n Native) Text() bool { return n == Native{} }
