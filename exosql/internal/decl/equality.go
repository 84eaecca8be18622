package decl

// Equality says which different texts a database treats as equal in a column.
type Equality uint8

const (
	UnknownEquality Equality = iota // not known yet: treated as wider than exact
	ExactEquality                   // none
	WiderEquality                   // other texts too, by the column's collation, or because they are compared as numbers
	CaselessType                    // texts that differ in case, by PostgreSQL's type citext
	PaddedType                      // texts that differ in spaces at the end, by PostgreSQL's type char(n)
)

// ByType reports whether equality is wider only by the column's type: cast to text it is exact.
func (e Equality) ByType() bool { return e == CaselessType || e == PaddedType }
