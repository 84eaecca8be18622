package expr

// This file prepares the operands of comparisons, so that = and < have one meaning on both engines.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// alike prepares operands that are compared, or that may be the result. Numbers of different types
// become exact, and values get the type of the columns. It returns the type of the result, by the
// rule of the catalogue.
func (f *From) alike(args []Expr) ([]Expr, Type) {
	var of Type
	exact, whole, fraction, numeric := false, false, false, false
	for _, a := range args {
		t := a.Type()
		if t.Kind == value.TypeNull {
			continue
		}
		if _, val := a.(Argument); of.Kind == "" || !val && (of.Kind == value.TypeNull || !t.Number() || scalar.NumberRank(t.Kind) > scalar.NumberRank(of.Kind)) {
			of = t
		}
		exact = exact || t.Decimal()
		if _, val := a.(Argument); !val {
			whole, fraction = whole || t.Kind == value.TypeInt, fraction || t.Kind == value.TypeFloat
		}
	}
	if !of.Number() {
		return args, of
	}
	out := make([]Expr, len(args))
	mixed := whole && fraction || !whole && !fraction && !exact && kindsAmong(args) > 1
	for i, a := range args {
		out[i] = a
		v, val := a.(Argument)
		switch t := a.Type(); {
		case t.Kind == value.TypeNull:
		case exact || mixed:
			out[i] = f.Exactly(a)
		case val && fraction:
			out[i] = v.As(value.TypeFloat)
		case val && whole && t.Kind == value.TypeFloat:
			// SQLite compares a whole number with a fraction exactly; PostgreSQL would convert both to
			// floats.
			if f.c.Dialect == sqlast.Postgres {
				out[i], numeric = v.As(value.TypeDecimal), true
			}
		}
	}
	return out, Type{Kind: of.Kind, Exact: exact || mixed || numeric}
}

// kindsAmong counts the different types of the expressions, without null.
func kindsAmong(args []Expr) int {
	seen := map[string]bool{}
	for _, a := range args {
		if k := a.Type().Kind; k != value.TypeNull {
			seen[k] = true
		}
	}
	return len(seen)
}

// Pair returns key columns in the form in which = compares them. It is used in the ON of a link, in the
// semi-join of a scope, and where a program compares a declared link's columns. Keys are equal if a program
// that reads both finds them equal. Texts are compared by code points, so that citext and char(n) admit no
// key with another spelling (see Pairs). Numbers are compared exactly. Times of PostgreSQL are compared as
// stored, since keys that differ only in microseconds may be two tenants'. A real is compared with a double
// as foreign keys do it. Two columns of one native type are compared in that type, with its index.
func (f *From) Pair(a, b Column) (x, y Expr) {
	if a.Col.Kind == value.TypeText && b.Col.Kind == value.TypeText {
		if both, ok := natively([]Expr{a, b}); ok {
			return both[0], both[1]
		}
		return sameText{a}, sameText{b}
	}
	if f.c.Dialect == sqlast.Postgres && a.Col.Kind == value.TypeTime && b.Col.Kind == value.TypeTime || a.single() || b.single() {
		return stored{a}, stored{b}
	}
	if form := f.c.HeldAs(a.Col); form != "" && form == f.c.HeldAs(b.Col) && form.Exact(a.Col.Kind) && a.Col.Kind == b.Col.Kind {
		return Raw{a}, Raw{b}
	}
	args, of := f.alike([]Expr{a, b})
	return KeyOf(args[0], of), KeyOf(args[1], of)
}

// stored is a column in the form that is in the database.
type stored struct{ x Column }

func (e stored) Type() Type { return e.x.Type() }

func (e stored) SQL(f *From) sqlast.Expr { return f.Col(e.x.Row, e.x.Col) }

// linkedPair returns the operands as columns if they are the two columns of a declared link.
func linkedPair(args []Expr) (a, b Column, ok bool) {
	if len(args) != 2 {
		return a, b, false
	}
	a, ok = args[0].(Column)
	b, ok2 := args[1].(Column)
	return a, b, ok && ok2 && (declared(a, b) || declared(b, a))
}

// Keyed returns operands in the form in which = and < can compare them.
func (f *From) Keyed(args []Expr) []Expr {
	if a, b, ok := linkedPair(args); ok {
		x, y := f.Pair(a, b)
		return []Expr{x, y}
	}
	args, of := f.alike(args)
	if of.Kind == value.TypeText {
		if same, ok := natively(args); ok {
			return same
		} else if own, ok := f.looselyEqual(args); ok {
			return own
		}
		// For two columns with different collations PostgreSQL fails at the first row that it reads.
		if len(f.columns(args)) > 1 || !NativeOf(args).Text() {
			return Mapped(args, func(a Expr) Expr { return Text{a} })
		}
	}
	return Mapped(args, func(a Expr) Expr { return KeyOf(a, of) })
}

// comparison returns the two operands of a comparison. On SQLite a column of whole numbers is compared with an exact
// number directly. With converted keys, a function of this module would run for every row, and no index could serve.
func (f *From) comparison(op sqlast.Op, args []Expr) []Expr {
	if f.c.Dialect != sqlast.SQLite || len(args) != 2 {
		return f.Keyed(args)
	}
	for i, x := range args {
		y := args[1-i]
		if !whole(x) || !y.Type().Decimal() {
			continue
		}
		made := rounded(op, i == 1)
		if made == sqlast.NoOp {
			break
		}
		out := slices.Clone(args)
		out[1-i] = Operation{made, []Expr{f.Exactly(y)}, Type{Kind: value.TypeInt}}
		return out
	}
	return f.Keyed(args)
}

// rounded returns the operator that rounds a number so that comparisons with whole numbers keep their results. right: the whole numbers are its right
// operand.
func rounded(op sqlast.Op, right bool) sqlast.Op {
	switch op {
	case sqlast.Eq, sqlast.Ne, sqlast.Is, sqlast.IsNot:
		return sqlast.AsWhole
	case sqlast.Gt, sqlast.Le: // n > 2.5 is n > 2
		if right { // 2.5 > n has the rounding of n < 2.5
			return sqlast.NotBelow
		}
		return sqlast.NotAbove
	case sqlast.Lt, sqlast.Ge: // n < 2.5 is n < 3
		if right {
			return sqlast.NotAbove
		}
		return sqlast.NotBelow
	}
	return sqlast.NoOp
}

// keying reports whether an operation converts a number to a form that is compared.
func keying(op sqlast.Op) bool {
	return op == sqlast.NumberKey || op == sqlast.NotAbove || op == sqlast.NotBelow || op == sqlast.AsWhole
}

// columns returns the operands that are not values of the message.
func (f *From) columns(args []Expr) (out []Expr) {
	for _, a := range args {
		if _, val := a.(Argument); !val && a.Type().Kind != value.TypeNull {
			out = append(out, a)
		}
	}
	return out
}

// KeyOf converts a value of the given type to a form in which = and < compare rightly.
func KeyOf(e Expr, of Type) Expr {
	switch {
	case of.Decimal():
		return Operation{sqlast.NumberKey, []Expr{e}, of}
	case of.Kind == value.TypeInterval:
		return Operation{sqlast.IntervalKey, []Expr{e}, of}
	}
	return e
}

// sorted returns an expression in a form that sorts rows.
func sorted(e Expr) Expr {
	if t := e.Type(); t.Kind == value.TypeText && t.Native.Text() {
		return Text{e}
	} else if t.Kind == value.TypeText {
		return Native{e, true}
	}
	return KeyOf(e, e.Type())
}

func declared(a, b Column) bool {
	if a.Row.Facet == nil {
		return false
	}
	for _, m := range a.Row.Facet.Links {
		for _, p := range m.L.Pairs {
			if p.From == a.Col && p.To == b.Col {
				return true
			}
		}
	}
	return false
}
