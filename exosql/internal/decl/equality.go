package decl

// Equality is how widely a database treats different texts in a column as equal.
type Equality uint8

const (
	UnknownEquality Equality = iota // UnknownEquality is not known yet, and treated as wider than exact
	ExactEquality                   // ExactEquality: only identical texts are equal
	WiderEquality                   // WiderEquality: other texts are equal by the column's collation, or since they are compared as numbers
	CaselessType                    // CaselessType: PostgreSQL's type citext ignores case
	PaddedType                      // PaddedType: PostgreSQL's type char(n) ignores spaces at the end
)

// ByType reports whether only the column's type makes the equality wider than exact. Cast to text, such a column compares exactly.
func (e Equality) ByType() bool { return e == CaselessType || e == PaddedType }
