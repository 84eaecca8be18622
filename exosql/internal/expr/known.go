package expr

// This file has conditions in JavaScript's syntax. They have only two values: a condition that SQL leaves unknown is false, and
// its negation is true. operation.go makes such conditions, and condition.go simplifies those that must be true.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// known is a condition that is false wherever x is unknown.
type known struct {
	x     Expr
	of    Expr // of is the condition that x negates, if it negates one
	plain bool // plain: x itself is never unknown
}

func (e known) Type() Type { return Type{Kind: value.TypeBool} }

func (e known) SQL(f *From) sqlast.Expr {
	if e.plain {
		return e.x.SQL(f)
	}
	return Call(sqlast.Coalesce, f.c.Need(true, func() sqlast.Expr { return Demanded(e.x).SQL(f) }), sqlast.False)
}

// Knowing returns the condition x with two values: unknown becomes false.
func (f *From) Knowing(x Expr) Expr {
	if f.decided(x) {
		return x
	}
	if op, ok := x.(Operation); ok && op.Op == sqlast.Includes {
		if short, ok := op.Args[1].(Operation); ok && short.Op == sqlast.Short {
			return known{x: Operation{sqlast.Coalesce, []Expr{x, unsought(short)}, op.of}, plain: true}
		}
	}
	return known{x: x}
}

// unsought returns a condition that is unknown if the text to look for comes from a row and is
// too long for a search, and false otherwise. Whether the row contains such a text is not known.
func unsought(short Operation) Expr {
	truth := Type{Kind: value.TypeBool}
	long := Operation{sqlast.And, []Expr{Operation{sqlast.IsNotNull, short.Args[:1], truth}, Operation{sqlast.IsNull, []Expr{short}, truth}}, truth}
	return Operation{sqlast.Case, []Expr{long, Null{}, Const(sqlast.False)}, truth}
}

// Unless returns the condition that is true where e is false or unknown. It negates the comparisons inside,
// so that an index of a nullable column serves: a <= 5 OR a IS NULL. If nothing can be null, Unless is the
// plain negation. Unless repeats only columns, since repeating larger operands could double the statement
// with each level.
func (f *From) Unless(e Expr) Expr {
	switch k, ok := e.(known); {
	case ok && k.of != nil:
		return f.Knowing(k.of)
	case ok && !k.plain:
		return f.Unless(k.x)
	}
	return known{x: f.negated(e), of: e, plain: true}
}

func (f *From) negated(e Expr) Expr {
	truth := Type{Kind: value.TypeBool}
	join, _ := e.(Operation)
	switch op := dual[join.Op]; {
	case join.Op == sqlast.IsNull:
		return Operation{sqlast.IsNotNull, join.Args, truth}
	case op != sqlast.NoOp && !f.decided(Demanded(e)):
		return Operation{op, Mapped(join.Args, f.Unless), truth}
	case f.decided(e):
		return Operation{sqlast.Not, []Expr{e}, truth}
	}
	switch x := e.(type) {
	case Column:
		return f.orNull(Operation{sqlast.Not, []Expr{e}, truth}, e)
	case In:
		if f.plainColumns(x.x) && f.decided(x.list...) {
			return f.orNull(In{x.x, x.list, !x.not}, x.x)
		}
	case Among:
		if !x.Not {
			x.Not, x.Null = true, true
			return x
		}
	case Operation:
		if op := opposite[x.Op]; op != sqlast.NoOp && f.plainColumns(x.Args...) {
			return f.orNull(Operation{op, x.Args, truth}, x.Args...)
		}
	}
	return Operation{sqlast.Not, []Expr{known{x: e}}, truth}
}

var (
	dual     = map[sqlast.Op]sqlast.Op{sqlast.And: sqlast.Or, sqlast.Or: sqlast.And}
	opposite = map[sqlast.Op]sqlast.Op{sqlast.Eq: sqlast.Ne, sqlast.Ne: sqlast.Eq, sqlast.Lt: sqlast.Ge, sqlast.Ge: sqlast.Lt, sqlast.Gt: sqlast.Le, sqlast.Le: sqlast.Gt}
)

// orNull returns the condition that cond is true or that a nullable operand is null.
func (f *From) orNull(cond Expr, args ...Expr) Expr {
	either := []Expr{cond}
	for _, a := range args {
		if !f.decided(a) {
			either = append(either, Operation{sqlast.IsNull, []Expr{PlainText(a)}, cond.Type()})
		}
	}
	return Operation{sqlast.Or, either, cond.Type()}
}

// plainColumns reports whether all operands are values of the message, or columns that are compared
// as they are stored. Such columns are unknown only where they are null.
func (f *From) plainColumns(args ...Expr) bool {
	return !slices.ContainsFunc(args, func(a Expr) bool {
		c, column := PlainText(a).(Column)
		return column && f.unread(c) || !column && !f.decided(a)
	})
}

// unread reports whether a column may have a cell that is not null but has no value in a comparison. Such
// cells are times that SQLite can't read, cells of another form than the declared one, and NaN in a real.
func (f *From) unread(c Column) bool {
	return f.c.Dialect == sqlast.SQLite && c.Col.Kind == value.TypeTime && !c.Col.Iso() || f.c.HeldAs(c.Col) != "" || c.single()
}

// decided reports whether all expressions have a value in every row, as far as is known.
func (f *From) decided(es ...Expr) bool {
	return !slices.ContainsFunc(es, func(e Expr) bool {
		switch x := e.(type) {
		case Argument, Const, known:
			return false
		case Subquery:
			return !slices.Contains([]string{language.ExistsMethod, language.Some, language.Every, language.None}, x.N.Name)
		case In:
			return len(x.list) > 0 && !f.decided(append(slices.Clip(x.list), x.x)...)
		case Among:
			return !x.Null && !f.decided(x.X)
		case Operation:
			switch x.Op {
			case sqlast.Is, sqlast.IsNot, sqlast.IsNull, sqlast.IsNotNull:
				return false
			case sqlast.Eq, sqlast.Ne, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.And, sqlast.Or, sqlast.Not, sqlast.Includes, sqlast.StartsWith, sqlast.EndsWith:
				return !f.decided(x.Args...)
			}
			return true
		}
		if v, ok := asArgument(e); ok {
			return v.Kind == value.TypeNull
		}
		c, column := KeyColumn(PlainText(e))
		return !column || !f.NeverNull(c) || f.unread(c)
	})
}
