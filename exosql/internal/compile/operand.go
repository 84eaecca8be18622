package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Text is an operand as text, compared by code points: on PostgreSQL a
// column may hold it as an enum, and sort by a language's rules.
type Text struct{ x expr }

func (e Text) Type() Type {
	return Type{kind: value.TypeText, size: e.x.Type().bytes(), native: lettered(e.x.Type().native)}
}

func (e Text) SQL(f *From) sqlast.Expr {
	x := e.x.SQL(f)
	if c, column := e.x.(Column); column && x != nil && f.c.dialect == sqlast.SQLite {
		if form := f.c.formOf(c.col); form.Numbers {
			return call(sqlast.CodePointText, x)
		} else if form.Equality == decl.WiderEquality {
			return call(sqlast.ByCodePoint, x)
		}
	}
	if _, value := e.x.(Argument); f.c.dialect != sqlast.Postgres || x == nil {
		return x
	} else if value {
		return call(sqlast.CastedText, x)
	}
	return call(sqlast.CodePointText, textual(e.x, x))
}

// alike prepares operands that are compared, or one of which becomes the result:
// numbers of different types as exact ones, values as what they stand beside. It
// returns the type of the result, by the rule of the catalogue.
func (f *From) alike(args []expr) ([]expr, Type) {
	var of Type
	exact, whole, fraction, numeric := false, false, false, false
	for _, a := range args {
		t := a.Type()
		if t.kind == value.TypeNull {
			continue
		}
		if _, val := a.(Argument); of.kind == "" || !val && (of.kind == value.TypeNull || !t.number() || scalar.NumberRank(t.kind) > scalar.NumberRank(of.kind)) {
			of = t
		}
		exact = exact || t.decimal()
		if _, val := a.(Argument); !val {
			whole, fraction = whole || t.kind == value.TypeInt, fraction || t.kind == value.TypeFloat
		}
	}
	if !of.number() {
		return args, of
	}
	out := make([]expr, len(args))
	mixed := whole && fraction || !whole && !fraction && !exact && kinds(args) > 1
	for i, a := range args {
		out[i] = a
		v, val := a.(Argument)
		switch t := a.Type(); {
		case t.kind == value.TypeNull:
		case exact || mixed:
			out[i] = f.exactly(a)
		case val && fraction:
			out[i] = v.as(value.TypeFloat)
		case val && whole && t.kind == value.TypeFloat:
			// SQLite compares a whole number with a fraction exactly; PostgreSQL would
			// make a float of both.
			if f.c.dialect == sqlast.Postgres {
				out[i], numeric = v.as(value.TypeDecimal), true
			}
		}
	}
	return out, Type{kind: of.kind, exact: exact || mixed || numeric}
}

func kinds(args []expr) int {
	seen := map[string]bool{}
	for _, a := range args {
		if k := a.Type().kind; k != value.TypeNull {
			seen[k] = true
		}
	}
	return len(seen)
}

// exactly is a number to be calculated with.
func (f *From) exactly(e expr) expr {
	t := e.Type()
	switch v, val := e.(Argument); {
	case val:
		return v.as(value.TypeDecimal)
	case t.exact, t.kind == value.TypeDecimal, t.kind == value.TypeNull:
		return e
	case t.kind == value.TypeFloat:
		return Operation{sqlast.FloatExact, []expr{e}, Type{kind: t.kind, exact: true, size: t.digits()}}
	}
	return Operation{sqlast.IntExact, []expr{e}, Type{kind: t.kind, exact: true, size: t.digits()}}
}

// sameText is a column of text as it is compared with another one by =, under the
// columns' own collation: an index of either serves. Where a collation takes different texts for equal, pairs adds the exact
// comparison. Two columns with different ones PostgreSQL refuses to compare.
type sameText struct{ x Column }

func (e sameText) Type() Type { return e.x.Type() }

func (e sameText) SQL(f *From) sqlast.Expr {
	x := f.col(e.x.row, e.x.col)
	if f.c.dialect != sqlast.Postgres || x == nil {
		return f.unindexed(x, e.x.row, e.x.col)
	}
	return call(sqlast.CastedText, textual(e.x, x))
}

// pair is the one comparison of key columns: a and b as they are compared by = in the
// ON of a link, in the semi-join of a scope, and where a program compares two columns
// that a link is declared over. Keys are equal if a program that reads both finds them
// equal: texts by their code points whatever the columns' types, so that citext and
// char(n) let in no row whose key is spelt in another way (see pairs); numbers exactly; times of PostgreSQL as they are stored, since two that differ in their
// microseconds alone are two keys, of two tenants maybe; a real beside a double as the foreign key compares them. A type that is no text stays what it is beside itself, whose index then serves.
func (f *From) pair(a, b Column) (x, y expr) {
	if a.col.Kind == value.TypeText && b.col.Kind == value.TypeText {
		if both, ok := natively([]expr{a, b}); ok {
			return both[0], both[1]
		}
		return sameText{a}, sameText{b}
	}
	if f.c.dialect == sqlast.Postgres && a.col.Kind == value.TypeTime && b.col.Kind == value.TypeTime || a.single() || b.single() {
		return stored{a}, stored{b}
	}
	if form := f.c.heldAs(a.col); form != "" && form == f.c.heldAs(b.col) && form.Exact(a.col.Kind) && a.col.Kind == b.col.Kind {
		return raw{a}, raw{b}
	}
	args, of := f.alike([]expr{a, b})
	return keyOf(args[0], of), keyOf(args[1], of)
}

// stored is a column as it lies in the database.
type stored struct{ x Column }

func (e stored) Type() Type { return e.x.Type() }

func (e stored) SQL(f *From) sqlast.Expr { return f.col(e.x.row, e.x.col) }

// linkedPair reports whether the operands are two columns that a link is declared over.
func linkedPair(args []expr) (a, b Column, ok bool) {
	if len(args) != 2 {
		return a, b, false
	}
	a, ok = args[0].(Column)
	b, ok2 := args[1].(Column)
	return a, b, ok && ok2 && (declared(a, b) || declared(b, a))
}

// keyed are operands as they can be compared by = and <.
func (f *From) keyed(args []expr) []expr {
	if a, b, ok := linkedPair(args); ok {
		x, y := f.pair(a, b)
		return []expr{x, y}
	}
	args, of := f.alike(args)
	if of.kind == value.TypeText {
		if same, ok := natively(args); ok {
			return same
		} else if own, ok := f.looselyEqual(args); ok {
			return own
		}
		// Of columns with two collations PostgreSQL fails to choose one, for the first
		// row that it looks at.
		if len(f.columns(args)) > 1 || !nativeOf(args).Text() {
			return mapped(args, func(a expr) expr { return Text{a} })
		}
	}
	return mapped(args, func(a expr) expr { return keyOf(a, of) })
}

// comparison are the two operands of a comparison. A column of whole numbers beside an exact number is compared as it is, on
// SQLite: with a key of each, a function of ours would run for every row, and no index could serve.
func (f *From) comparison(op sqlast.Op, args []expr) []expr {
	if f.c.dialect != sqlast.SQLite || len(args) != 2 {
		return f.keyed(args)
	}
	for i, x := range args {
		y := args[1-i]
		if !whole(x) || !y.Type().decimal() {
			continue
		}
		made := rounded(op, i == 1)
		if made == sqlast.NoOp {
			break
		}
		out := slices.Clone(args)
		out[1-i] = Operation{made, []expr{f.exactly(y)}, Type{kind: value.TypeInt}}
		return out
	}
	return f.keyed(args)
}

// rounded makes of a number the whole one with which a comparison says the same of whole numbers. They may stand at the right.
func rounded(op sqlast.Op, right bool) sqlast.Op {
	switch op {
	case sqlast.Eq, sqlast.Ne, sqlast.Is, sqlast.IsNot:
		return sqlast.AsWhole
	case sqlast.Gt, sqlast.Le: // n > 2.5 is n > 2
		if right { // 2.5 > n is 3 > n
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

// keying reports whether an operation makes of a number what is compared.
func keying(op sqlast.Op) bool {
	return op == sqlast.NumberKey || op == sqlast.NotAbove || op == sqlast.NotBelow || op == sqlast.AsWhole
}

// columns are the operands that are no values of the message.
func (f *From) columns(args []expr) (out []expr) {
	for _, a := range args {
		if _, val := a.(Argument); !val && a.Type().kind != value.TypeNull {
			out = append(out, a)
		}
	}
	return out
}

// keyOf is a value such that = and < mean what they mean for its type.
func keyOf(e expr, of Type) expr {
	switch {
	case of.decimal():
		return Operation{sqlast.NumberKey, []expr{e}, of}
	case of.kind == value.TypeInterval:
		return Operation{sqlast.IntervalKey, []expr{e}, of}
	}
	return e
}

// sorted is an expression that can be sorted by.
func sorted(e expr) expr {
	if t := e.Type(); t.kind == value.TypeText && t.native.Text() {
		return Text{e}
	} else if t.kind == value.TypeText {
		return Native{e, true}
	}
	return keyOf(e, e.Type())
}
