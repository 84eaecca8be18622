package decl

// Equality says what a database takes for equal in a column of texts, beside texts of the same characters.
type Equality uint8

const (
	UnknownEquality Equality = iota // nobody has looked: it counts as wider than exact
	ExactEquality                   // nothing else
	WiderEquality                   // other texts too: by the column's collation, or since it compares them as numbers
	CaselessType                    // texts that differ in their case, by PostgreSQL's type citext
	PaddedType                      // texts that differ in spaces at their end, by PostgreSQL's type char(n)
)

// ByType reports whether the column's type is wider than exact, and its text is not.
func (e Equality) ByType() bool { return e == CaselessType || e == PaddedType }
