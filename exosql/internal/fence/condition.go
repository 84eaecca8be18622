package fence

// This file decides which conditions of a program may be tried on rows out of scope. The compiler
// asks before it writes a condition; for others, form.go has forms.

import (
	"slices"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// Operand is one side of a condition. The zero Operand means a calculated value.
type Operand struct {
	Column              bool // Column: the operand is a column in its stored form
	Key, UnscopedLookup bool // Key: the column is part of the key; UnscopedLookup: the host declared it with AllowUnscopedLookup
	Optional            bool // Optional: the column's row may be missing, by a left join
	Value               bool // Value: the operand is a value of the program
}

// Free reports whether rows may be sorted by x, or compared with another table's column, before their scope is checked. x must be a key,
// or a column with AllowUnscopedLookup. With other columns, the time to the first rows in scope would reveal how many rows come before
// them. PostgreSQL also may sort a table before the join that decides which rows are in scope.
func (x Operand) Free() bool { return x.Column && (x.Key || x.UnscopedLookup) }

// Leakproof reports whether a condition may be tried on rows out of scope. It must compare one column with values of the program, at a cost that does
// not depend on the column. For a list, op is sqlast.Eq. The time reveals only whether a key exists, or a value of a column with AllowUnscopedLookup,
// to which the host has agreed. A condition on a row that may be missing is valid only outside its join, so it is not Leakproof.
func Leakproof(op sqlast.Op, x Operand, with ...Operand) bool {
	between := false
	switch op {
	case sqlast.Eq, sqlast.Is, sqlast.IsNull, sqlast.IsNotNull:
	case sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.Between:
		between = true
	default:
		return false
	}
	if !x.Column || x.Optional || !x.UnscopedLookup && (!x.Key || between) {
		return false
	}
	return !slices.ContainsFunc(with, func(o Operand) bool { return !o.Value })
}

// Identity reports whether a condition compares two columns in the way of a link: both are Free, or a declared link compares these
// two. Engines apply a key that the program names to both columns. For any other column the time would reveal its value.
func Identity(op sqlast.Op, a, b Operand, linked bool) bool {
	return (op == sqlast.Eq || op == sqlast.Is) && a.Column && b.Column && (a.Free() && b.Free() || linked)
}
