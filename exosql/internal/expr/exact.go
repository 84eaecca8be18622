package expr

// This file compares key columns exactly if the database treats different texts as equal: NOCASE and RTRIM of SQLite, columns that
// SQLite compares as numbers, nondeterministic collations of PostgreSQL, citext and char(n).
//
// For such columns it writes two conditions: the column's own equality, which an index serves, and the exact comparison, which
// filters the result. The exact comparison alone would be right too, but would read the whole table. For other columns one
// condition is enough.

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// equality returns how widely the database treats different values of a column as equal. Only texts, and values
// that SQLite stores as texts, can differ and still be equal. Functions of this module compare exactly.
func (c *State) equality(col *decl.Column) decl.Equality {
	switch {
	case c.HeldAs(col) != "": // the values are texts of digits, or a function of this module compares them
		return decl.ExactEquality
	case col.Kind == value.TypeText:
	case c.Dialect == sqlast.SQLite && (col.Kind == value.TypeUUID || col.Kind == value.TypeDate || col.Kind == value.TypeTime && col.Iso()):
	default:
		return decl.ExactEquality
	}
	return c.FormOf(col).Equality
}

// Wider reports whether the database may treat different values of a column as equal.
func (c *State) Wider(col *decl.Column) bool { return c.equality(col) != decl.ExactEquality }

// own returns a column in the form in which the database's own equality compares it.
func (f *From) own(x Column) Expr {
	if f.c.equality(x.Col).ByType() || f.c.FormOf(x.Col).Numbers {
		return stored{x}
	}
	return x
}

// Pairs returns the comparisons that make two key columns equal. All of them must be true: see Pair.
func (f *From) Pairs(a, b Column) [][2]Expr {
	x, y := f.Pair(a, b)
	of, other := f.c.equality(a.Col), f.c.equality(b.Col)
	exact := func(e decl.Equality) bool { return e == decl.ExactEquality }
	switch {
	case exact(of) && exact(other), of != other && (exact(of) || of.ByType()) && (exact(other) || other.ByType()):
		return [][2]Expr{{x, y}} // the pair is compared as texts, or the database compares its two types as texts
	case of.ByType() && of == other:
		x, y = stored{a}, stored{b}
	}
	return [][2]Expr{{x, y}, {ExactText{a}, ExactText{b}}}
}

// keyComparison writes a program's comparison that must be exact: of the two columns of a link, or with a value that
// must be unchanged (ifUnchanged). It returns nil for other comparisons, and if the column's own equality is exact.
func (f *From) keyComparison(op sqlast.Op, args []Expr, of Type) Expr {
	var sides [][2]Expr
	if a, b, linked := linkedPair(args); linked {
		sides = f.Pairs(a, b)
	} else if c, column := args[0].(Column); f.c.Unchanged && column && f.c.Wider(c.Col) {
		sides = [][2]Expr{{f.own(c), args[1]}, {ExactText{c}, args[1]}}
	}
	if len(sides) < 2 {
		return nil
	}
	exact := Operation{op, sides[1][:], of}
	switch op {
	case sqlast.Eq, sqlast.Is:
		return Operation{sqlast.And, []Expr{Operation{op, sides[0][:], of}, exact}, of}
	case sqlast.Ne, sqlast.IsNot:
		return exact
	}
	return nil
}

// KeyOrder returns a key column in a form that sorts different keys apart, even if the database treats them as equal.
func (f *From) KeyOrder(x Column) Expr {
	if f.c.Dialect == sqlast.SQLite && f.c.Wider(x.Col) {
		return ExactText{x}
	}
	return Tying(x)
}

// FixedOf returns the columns that a scope fixes. ok reports whether a search for them finds exactly the rows in scope.
// With a wider equality the search would find further rows, on which no expression of a program may be tried.
func (c *State) FixedOf(e scope.Entry) ([]scope.Fixed, bool) {
	fixed, ok := e.Fixed()
	for _, x := range fixed {
		ok = ok && !c.Wider(x.Col)
	}
	return fixed, ok
}
