package fence

// This file decides which conditions of a program may be tried on rows out of scope. The
// compiler asks before it writes a condition; other conditions get a form of form.go.

import (
	"slices"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// Operand is one side of a condition. The zero Operand is a calculated value.
type Operand struct {
	Column              bool // a column as it is stored
	Key, UnscopedLookup bool // of a column: it is part of the key, or its host let it be looked up unscoped
	Optional            bool // of a column: its row may be missing
	Value               bool // a value of the program
}

// Free reports whether rows may be sorted by x, and compared with a column of another table, before their scope is looked at: by a key,
// or a column with AllowUnscopedLookup. With any other column the time to the first rows in scope would reveal how many of all rows come
// before them; and PostgreSQL may sort a table by x before it joins what decides which rows are in scope.
func (x Operand) Free() bool { return x.Column && (x.Key || x.UnscopedLookup) }

// Leakproof reports whether a condition may be tried on rows out of scope: it compares one column with values of the program, at a cost that does not
// depend on the column. Membership in a list is sqlast.Eq here. The time reveals whether some row has the value: for a key, whether the row exists;
// for a column with AllowUnscopedLookup, the host has agreed to it. A condition on a row that may be missing is only valid outside its join, so it is
// not Leakproof.
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

// Identity reports whether a condition compares two columns as a link could: both are Free, or a declared link has these two.
// With another column the time would reveal its value: the engine applies a key that the program names to that column too.
func Identity(op sqlast.Op, a, b Operand, linked bool) bool {
	return (op == sqlast.Eq || op == sqlast.Is) && a.Column && b.Column && (a.Free() && b.Free() || linked)
}
